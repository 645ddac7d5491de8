"""Pools of so many results: one, as many as there are elements, and some in between."""

import torch
from torch import nn

batch = 3
channels = 2
half = 5


class Model(nn.Module):
    def forward(self, x):
        pooled = nn.functional.adaptive_avg_pool2d(torch.relu(x), (1, 1))
        return (
            pooled,
            nn.functional.adaptive_avg_pool2d(x, half),
            nn.functional.adaptive_avg_pool1d(x[:, 0], 2 * half),
        )


def get_inputs():
    return [torch.randn(batch, channels, 2 * half, 2 * half)]


def get_init_inputs():
    return []
