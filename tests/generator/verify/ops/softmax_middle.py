"""Softmax over the middle axis of a batch of feature maps."""

import torch
from torch import nn

BATCH = 6
CHANNELS = 200
LENGTH = 70


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return []
