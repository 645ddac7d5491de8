"""Softmax and log-softmax of rows with some, or only, -inf."""

import torch
from torch import nn

rows = 6
width = 37


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.softmax(x, dim=-1), nn.functional.log_softmax(x, dim=-1)


def get_inputs():
    x = torch.randn(rows, width)
    x[1, :20] = -torch.inf
    x[2] = -torch.inf
    x[3, 5] = torch.nan
    x[4, 7] = torch.inf
    return [x]


def get_init_inputs():
    return []
