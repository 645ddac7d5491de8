"""Clip three gradient tensors by their global L2 norm and return them with the norm."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, max_norm):
        super().__init__()
        self.max_norm = max_norm

    def forward(self, a, b, c):
        norm = torch.sqrt(a.pow(2).sum() + b.pow(2).sum() + c.pow(2).sum())
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        return a * coef, b * coef, c * coef, norm


ROWS, COLS, BIAS, OUT, IN = 33, 40, 57, 12, 7


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(BIAS), torch.randn(OUT, IN, 3, 3)]


def get_init_inputs():
    return [1.0]
