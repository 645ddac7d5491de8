"""A linear map whose weight a buffer of truths has pruned."""

import torch
from torch import nn

ROWS, COLS = 48, 256


class Model(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.register_buffer("alive", torch.ones(cols, dtype=torch.bool))

    def forward(self, x):
        return torch.where(self.alive, x.tanh(), 0.0)


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return [COLS]
