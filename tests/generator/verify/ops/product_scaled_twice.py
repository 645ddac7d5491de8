"""A product of activations and weights, scaled for each row and each column."""

import torch
from torch import nn

ROWS, WIDTH, COLUMNS = 40, 24, 56


class Model(nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor, row: torch.Tensor, col: torch.Tensor) -> torch.Tensor:
        return (x @ w) * row[:, None] * col[None, :]


def get_inputs():
    return [torch.randn(ROWS, WIDTH), torch.randn(WIDTH, COLUMNS), torch.randn(ROWS), torch.randn(COLUMNS)]


def get_init_inputs():
    return []
