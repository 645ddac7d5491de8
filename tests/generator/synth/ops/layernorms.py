"""LayerNorm over one, two and three dimensions, with and without affine parameters."""

import torch
from torch import nn

batch = 2
height = 4
width = 6
channels = 5


class Model(nn.Module):
    def __init__(self, channels, height, width):
        super().__init__()
        self.three = nn.LayerNorm((channels, height, width))
        self.two = nn.LayerNorm((height, width), bias=False)
        self.one = nn.LayerNorm(width, elementwise_affine=False)

    def forward(self, x):
        return self.three(x), self.two(x), self.one(x)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return [channels, height, width]
