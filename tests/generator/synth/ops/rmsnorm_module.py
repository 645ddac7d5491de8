"""nn.RMSNorm with and without its default eps."""

import torch
from torch import nn

rows = 6
width = 50


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.RMSNorm(width, eps=1e-6)
        self.plain = nn.RMSNorm(width)

    def forward(self, x):
        return self.norm(x), self.plain(x)


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return [width]
