"""Group normalization with affine parameters followed by SiLU."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels) * 0.1)

    def forward(self, x):
        return nn.functional.silu(nn.functional.group_norm(x, self.groups, self.weight, self.bias, 1e-5))


batch = 3
channels = 24
length = 50
groups = 4


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return [channels, groups]
