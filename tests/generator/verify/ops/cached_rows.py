"""Rows scaled by the number of steps so far, which is a tensor of one element."""

import torch
from torch import nn

ROWS, COLS = 48, 256


class Model(nn.Module):
    def forward(self, x, step):
        return x * torch.rsqrt(step.to(x.dtype) + 1.0)


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.tensor(7)]


def get_init_inputs():
    return []
