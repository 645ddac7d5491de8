"""Logsumexp over a middle dimension."""

import torch
from torch import nn

batch = 3
channels = 21
width = 10


class Model(nn.Module):
    def forward(self, x):
        return torch.logsumexp(x, dim=1)


def get_inputs():
    return [torch.randn(batch, channels, width) * 4]


def get_init_inputs():
    return []
