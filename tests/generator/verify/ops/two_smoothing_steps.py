"""Two five-point smoothing steps of images, the border of each step being zero."""

import torch
from torch import nn

N, C, H, W = 2, 3, 37, 43


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(2):
            p = nn.functional.pad(x, (1, 1, 1, 1))
            x = (p[..., 1:-1, :-2] + p[..., 1:-1, 2:] + p[..., :-2, 1:-1] + p[..., 2:, 1:-1] + 4 * x) / 8
        return x


def get_inputs():
    return [torch.randn(N, C, H, W)]


def get_init_inputs():
    return []
