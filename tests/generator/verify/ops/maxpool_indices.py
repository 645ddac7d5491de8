"""Max pooling with overlapping, padded windows, and where the maxima stood."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 2, 2, 11, 14


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return nn.functional.max_pool2d(x, 3, stride=2, padding=1, return_indices=True)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list[object]:
    return []
