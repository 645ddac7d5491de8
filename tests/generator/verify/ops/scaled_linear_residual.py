"""A product with per-row and per-column scales, a bias, a leaky ReLU and a residual."""

import torch
from torch import nn

ROWS, WIDTH, COLUMNS = 96, 40, 80


class Model(nn.Module):
    def __init__(self, inner: int, outs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outs, inner) * 0.1)
        self.bias = nn.Parameter(torch.randn(outs) * 0.1)
        self.col_scale = nn.Parameter(torch.rand(outs) + 0.5)

    def forward(self, x: torch.Tensor, row_scale: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        y = (x @ self.weight.t()) * row_scale[:, None] * self.col_scale + self.bias
        return nn.functional.leaky_relu(y, 0.1) + residual


def get_inputs():
    return [torch.randn(ROWS, WIDTH), torch.rand(ROWS) + 0.5, torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return [WIDTH, COLUMNS]
