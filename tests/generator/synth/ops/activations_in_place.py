"""In-place activations on intermediates are ordinary ones."""

import torch
from torch import nn

rows = 5
width = 40


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(width))

    def forward(self, x):
        x = x + self.shift
        x = nn.functional.relu(x, inplace=True)
        x *= 2.0
        x = nn.functional.hardswish(x, inplace=True)
        x.sub_(0.25)
        return nn.functional.silu(x, inplace=True)


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return [width]
