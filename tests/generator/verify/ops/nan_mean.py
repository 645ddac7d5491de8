"""Means of what is a number in each row."""

import torch
from torch import nn

ROWS, COLS = 1024, 1024


class Model(nn.Module):
    def forward(self, x):
        return torch.nanmean(x, dim=-1)


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
