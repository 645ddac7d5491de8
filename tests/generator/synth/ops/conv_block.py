"""Convolution, batch norm in training, ReLU, pooling."""

import torch
from torch import nn

batch = 2
channels = 3
filters = 4
side = 8


class Model(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=1)
        self.norm = nn.BatchNorm2d(filters)

    def forward(self, x):
        return nn.functional.max_pool2d(nn.functional.relu(self.norm(self.conv(x))), 2)


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return [channels, filters]
