"""A linear layer between two fused parts."""

import torch
from torch import nn

rows = 6
width = 12
hidden = 10


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        return nn.functional.softmax(
            nn.functional.gelu(self.down(nn.functional.silu(self.up(x) * 2.0))) + x, dim=-1
        )


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return [width, hidden]
