"""A single short row."""

import torch
from torch import nn

width = 5


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.softmax(x, -1), x / x.norm(), x.max()


def get_inputs():
    return [torch.randn(width)]


def get_init_inputs():
    return []
