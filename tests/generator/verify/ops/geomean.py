"""The geometric mean of each row."""

import torch
from torch import nn

ROWS, COLS = 48, 1000


class Model(nn.Module):
    def forward(self, x):
        return torch.exp(torch.log(x).mean(-1))


def get_inputs():
    return [torch.rand(ROWS, COLS) + 0.1]


def get_init_inputs():
    return []
