"""Excess kurtosis of each row."""

import torch
from torch import nn

rows, columns = 1500, 2000


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        d = x - x.mean(dim=1, keepdim=True)
        s = d * d
        return (s * s).mean(dim=1) / s.mean(dim=1).square() - 3.0


def get_inputs():
    return [torch.rand(rows, columns)]


def get_init_inputs():
    return []
