"""Pooling of images over windows that overlap and reach over the edge."""

import torch
from torch import nn

batch = 32
channels = 64
height = 112
width = 96


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
