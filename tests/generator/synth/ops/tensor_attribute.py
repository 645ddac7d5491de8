"""A plain tensor attribute that is neither parameter nor buffer."""

import torch
from torch import nn

rows = 5
width = 8


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.linspace(0.0, 1.0, width)
        self.number = 3

    def forward(self, x):
        return x * self.scale + self.number


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return [width]
