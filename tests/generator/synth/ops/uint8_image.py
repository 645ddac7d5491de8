"""Bytes to normalised floats."""

import torch
from torch import nn

batch = 2
channels = 3
side = 7


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("mean", torch.rand(channels, 1, 1))
        self.register_buffer("std", torch.rand(channels, 1, 1) + 0.5)

    def forward(self, x):
        return (x.float() / 255.0 - self.mean) / self.std


def get_inputs():
    return [torch.randint(0, 256, (batch, channels, side, side), dtype=torch.uint8)]


def get_init_inputs():
    return [channels]
