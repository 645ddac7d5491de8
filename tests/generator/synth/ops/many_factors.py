"""Einsums of more than two operands."""

import torch
from torch import nn

batch = 3
rows = 5
width = 7


class Model(nn.Module):
    def forward(self, x, y, z):
        return torch.einsum("bik,bjk,bjl->bil", x, y, z), torch.einsum("bik,bjk,bij -> bj", x, y, y[:, :, :5])


def get_inputs():
    return [torch.randn(batch, rows, width), torch.randn(batch, rows, width), torch.randn(batch, rows, 4)]


def get_init_inputs():
    return []
