"""Bilinear resize to a fixed size, pixel centres at halves."""

import torch
from torch import nn

batch, channels, height, width = 2, 2, 150, 210
out_height, out_width = 192, 256


class Model(nn.Module):
    def __init__(self, out_height: int, out_width: int) -> None:
        super().__init__()
        self.size = (out_height, out_width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.interpolate(x, size=self.size, mode="bilinear", align_corners=False)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [out_height, out_width]
