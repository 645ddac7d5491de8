"""Channels shuffled between grouped convolutions, and patches of an image as rows of a product."""

import torch
from torch import nn

batch = 2
channels = 12
side = 4


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.groups = 3
        self.first = nn.Conv2d(channels, channels * 2, 1, groups=3)
        self.second = nn.Conv2d(channels * 2, channels, 3, padding=1, groups=3)
        self.patches = nn.Linear(4 * 4 * channels, 10)

    def forward(self, x):
        y = self.first(x)
        n, c, h, w = y.shape
        y = y.view(n, self.groups, c // self.groups, h, w).transpose(1, 2).contiguous().view(n, c, h, w)
        patches = x.unfold(2, 4, 4).unfold(3, 4, 4).reshape(n, -1, 16 * x.shape[1])
        overlapping = x.unfold(3, 3, 2).amax(-1)
        return self.second(y), self.patches(patches), overlapping


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return [channels]
