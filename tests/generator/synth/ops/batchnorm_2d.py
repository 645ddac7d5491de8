"""BatchNorm2d in training: batch statistics, running buffers."""

import torch
from torch import nn

batch = 9
channels = 5


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(batch, channels, 3, 4)]


def get_init_inputs():
    return [channels]
