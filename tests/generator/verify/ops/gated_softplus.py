"""A softplus behind a gate."""

import torch
from torch import nn

ROWS, COLS = 60, 110


class Model(nn.Module):
    def forward(self, x, y):
        return nn.functional.softplus(x) * torch.sigmoid(y)


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
