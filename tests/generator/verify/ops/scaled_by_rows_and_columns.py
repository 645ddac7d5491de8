"""A product of matrices, scaled for each row and each column."""

import torch
from torch import nn

rows, inner, columns = 40, 24, 56


class Model(nn.Module):
    def forward(self, x, w, row, column):
        return (x @ w) * row[:, None] * column[None, :]


def get_inputs():
    return [
        torch.randn(rows, inner),
        torch.randn(inner, columns),
        torch.randn(rows),
        torch.randn(columns),
    ]
