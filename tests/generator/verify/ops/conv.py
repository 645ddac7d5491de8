"""A padded 3x3 convolution of small images."""

import torch
from torch import nn

BATCH, CHANNELS, OUT, SIZE = 2, 3, 4, 11


class Model(nn.Module):
    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, out, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS, OUT]
