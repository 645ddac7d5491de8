"""Divides by the largest magnitudes so far, in a buffer that no state_dict holds."""

import torch
from torch import nn

ROWS, COLS = 1024, 512


class Model(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.register_buffer("peak", torch.full((cols,), 1e-6), persistent=False)

    def forward(self, x):
        self.peak.copy_(torch.maximum(self.peak, x.abs().amax(0)))
        return x / self.peak


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return [COLS]
