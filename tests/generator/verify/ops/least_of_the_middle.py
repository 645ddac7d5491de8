"""Place of the smallest number along the middle axis."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.argmin(x, dim=1)


batch = 7
rows = 143
columns = 31


def get_inputs():
    return [torch.randn(batch, rows, columns)]


def get_init_inputs():
    return []
