"""The first layer of a feed-forward block: a linear layer and its GELU."""

import torch
from torch import nn

tokens = 4096
width = 4096
hidden = 11008


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden, dtype=torch.bfloat16)

    def forward(self, x):
        return nn.functional.gelu(self.up(x))


def get_inputs():
    return [torch.randn(tokens, width, dtype=torch.bfloat16)]


def get_init_inputs():
    return [width, hidden]
