"""BatchNorm in evaluation mode, then ReLU."""

import torch
from torch import nn

batch = 4
channels = 5
side = 6


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels).eval()

    def forward(self, x):
        return nn.functional.relu(self.norm(x))


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return [channels]
