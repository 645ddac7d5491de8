"""Pixel shuffle by two, then a horizontal flip."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 2, 8, 24, 28


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.flip(nn.functional.pixel_shuffle(x, 2), dims=(-1,))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return []
