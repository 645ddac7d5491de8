"""Maxout layer: the largest of several affine pieces for every output unit."""

import torch
import torch.nn as nn
from torch.nn import functional


class Model(nn.Module):
    def __init__(self, fan_in, units, pieces):
        super().__init__()
        self.units = units
        self.pieces = pieces
        self.weight = nn.Parameter(torch.randn(units * pieces, fan_in) * 0.15)
        self.bias = nn.Parameter(torch.randn(units * pieces) * 0.1)

    def forward(self, x):
        y = functional.linear(x, self.weight, self.bias)
        return y.view(x.shape[0], self.units, self.pieces).amax(dim=2)


def get_inputs():
    return [torch.randn(37, 45)]


def get_init_inputs():
    return [45, 22, 3]
