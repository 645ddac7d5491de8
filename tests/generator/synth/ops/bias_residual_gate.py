"""Bias, residual, per-channel scale and a gate, in bfloat16."""

import torch
from torch import nn

rows = 6
width = 48


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(width, dtype=torch.bfloat16))
        self.scale = nn.Parameter(torch.randn(width, dtype=torch.bfloat16))

    def forward(self, x, gate, residual):
        return residual + self.scale * torch.sigmoid(gate) * (x + self.bias)


def get_inputs():
    return [torch.randn(rows, width, dtype=torch.bfloat16) for _ in range(3)]


def get_init_inputs():
    return [width]
