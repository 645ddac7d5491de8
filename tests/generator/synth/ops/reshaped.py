"""Reshapes that split and merge dimensions."""

import torch
from torch import nn

batch = 4
heads = 3
dim = 5


class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(heads))

    def forward(self, x):
        y = x.view(batch, heads, dim) * self.scale.view(heads, 1)
        return (
            y.flatten(1),
            y.reshape(-1).cumsum(0),
            y.sum(-1).view(-1),
            (x * 2).view(batch, heads * dim).unsqueeze(1),
        )


def get_inputs():
    return [torch.randn(batch, heads * dim)]


def get_init_inputs():
    return [heads]
