"""Reductions over several dimensions that are not neighbours."""

import torch
from torch import nn

batch = 3
depth = 7
width = 8
inner = 5


class Model(nn.Module):
    def forward(self, x):
        return [x.sum((0, 2)), x.mean((1, 3), keepdim=True), x.amax((0, 1)), x.var((2, 3))]


def get_inputs():
    return [torch.randn(batch, depth, width, inner)]


def get_init_inputs():
    return []
