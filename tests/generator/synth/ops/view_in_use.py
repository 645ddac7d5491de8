"""An intermediate is overwritten while a view of it is read later."""

import torch
from torch import nn

rows = 5
width = 40


class Model(nn.Module):
    def forward(self, x):
        y = x * 2.0
        z = y.view(-1)
        y.relu_()
        return z + 1.0


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
