"""A scale by the root of a length, with a cap whose number is merged into it."""

import torch
from torch import nn

rows = 6
width = 40


class Model(nn.Module):
    def forward(self, x):
        return 30.0 * torch.tanh(x * x.shape[-1] ** -0.5 / 30.0)


def get_inputs():
    return [torch.randn(rows, width) * 200]


def get_init_inputs():
    return []
