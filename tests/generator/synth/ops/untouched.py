"""Nothing here is for these kernels."""

import torch
from torch import nn

rows = 6
width = 20


class Model(nn.Module):
    def forward(self, x):
        return x @ x.t()


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
