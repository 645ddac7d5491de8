"""Division by the Frobenius norm of everything."""

import torch
from torch import nn

rows = 6
width = 31


class Model(nn.Module):
    def forward(self, x):
        return x / torch.norm(x, p="fro")


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
