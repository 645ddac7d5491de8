"""Rounding to steps about zero points, of which a buffer has one for each row."""

import torch
from torch import nn

ROWS, COLS = 48, 256


class Model(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.register_buffer("scale", torch.full((cols,), 0.05))
        self.register_buffer("zero_point", torch.zeros(cols, dtype=torch.int32))

    def forward(self, x):
        q = torch.clamp(torch.round(x / self.scale) + self.zero_point, -128, 127)
        return (q - self.zero_point) * self.scale


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return [COLS]
