"""The lower triangle, from a diagonal that is given."""

import torch
from torch import nn

BATCH, SIZE = 16, 256


class Model(nn.Module):
    def forward(self, x, diagonal=0):
        return torch.tril(x, diagonal)


def get_inputs():
    return [torch.randn(BATCH, SIZE, SIZE), 0]


def get_init_inputs():
    return []
