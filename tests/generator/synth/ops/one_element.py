"""A tensor of one element."""

import torch
from torch import nn

rows = 1
width = 1


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.softmax(x, -1), x.sum(), x.argmax(), x.std(-1, unbiased=False)


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
