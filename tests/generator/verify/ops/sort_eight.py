"""Rows of eight in order, and where their numbers stood."""

import torch
from torch import nn

rows = 4096


class Model(nn.Module):
    def forward(self, x):
        values, places = torch.sort(x, dim=-1, stable=True)
        return values, places


def get_inputs():
    return [torch.randn(rows, 8)]


def get_init_inputs():
    return []
