"""Sums over linear maps' outputs: products with summed weights, where nothing but factors is between."""

import torch
from torch import nn

batch = 5
width = 19
hidden = 11


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.weight = nn.Parameter(torch.randn(hidden, width))

    def forward(self, x):
        through = torch.sum(torch.matmul(x, self.weight.T) / 2, dim=1, keepdim=True) * 1.5
        return through, self.up(x).mean(-1), torch.relu(self.up(x)).sum(1)


def get_inputs():
    return [torch.randn(batch, width)]


def get_init_inputs():
    return [width, hidden]
