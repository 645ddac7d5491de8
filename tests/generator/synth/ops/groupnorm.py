"""GroupNorm whose group count is an attribute that may change."""

import torch
from torch import nn

batch = 2
channels = 12
groups = 3
side = 5


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return nn.functional.silu(self.norm(x))


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return [groups, channels]
