"""Double precision stays with torch."""

import torch
from torch import nn

rows = 6
width = 20


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x.double()), torch.relu(x)


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
