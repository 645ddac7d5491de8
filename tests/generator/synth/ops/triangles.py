"""Products of which a triangle is kept, and one of so few rows that matrix units would mostly pad."""

import torch
from torch import nn

side = 24
few = 3


class Model(nn.Module):
    def __init__(self, side):
        super().__init__()
        self.proj = nn.Linear(side, 40)

    def forward(self, x, y, z):
        return torch.triu(x @ y), torch.tril(y @ x, diagonal=-1), torch.relu(self.proj(z))


def get_inputs():
    upper = torch.triu(torch.randn(side, side))
    upper[1, 20] = float("nan")  # no tile of zeros hides it
    return [upper, torch.triu(torch.randn(side, side)), torch.randn(few, side)]


def get_init_inputs():
    return [side]
