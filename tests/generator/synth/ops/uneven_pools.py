"""Adaptive pools whose windows differ in size, in one, two and three dimensions, means and maxima."""

import torch
from torch import nn

batch = 2
height = 7
width = 11


class Model(nn.Module):
    def forward(self, x):
        pool = nn.functional
        return (
            pool.adaptive_avg_pool1d(x[:, 0], 5),
            pool.adaptive_avg_pool2d(torch.relu(x), (4, 3)),
            pool.adaptive_avg_pool3d(x, (2, 4, 5)),
            pool.adaptive_max_pool1d(x[:, 1], 6),
            pool.adaptive_max_pool2d(x, 4),
        )


def get_inputs():
    return [torch.randn(batch, 3, height, width)]


def get_init_inputs():
    return []
