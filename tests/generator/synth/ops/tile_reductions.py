"""Reductions behind products that stay in their tiles: pools, softmax over channels, groups, long rows."""

import torch
from torch import nn

batch = 2
channels = 3
filters = 6
side = 7
width = 5
groups = 3
runs = 5


class Model(nn.Module):
    def __init__(self, channels, filters, width, groups, runs):
        super().__init__()
        self.pooled = nn.Conv2d(channels, filters, 3)
        self.weighed = nn.ConvTranspose2d(channels, filters, 3, stride=2)
        self.both = nn.Conv2d(channels, filters, 3)
        self.grouped = nn.Linear(width, groups * 6)
        self.norm = nn.GroupNorm(groups, groups * 6)
        self.long = nn.Linear(width, runs * 64)

    def forward(self, x, rows):
        pooled = nn.functional.max_pool2d(self.pooled(x).tanh(), 2)
        weights = torch.softmax(self.weighed(x), dim=1)
        both = torch.logsumexp(nn.functional.avg_pool2d(self.both(x), 3), dim=1, keepdim=True)
        normed = nn.functional.hardtanh(self.norm(self.grouped(rows)))
        long = torch.logsumexp(self.long(rows), dim=1)
        return pooled, weights, both, normed, long


def get_inputs():
    return [torch.randn(batch, channels, side, side), torch.randn(batch, width)]


def get_init_inputs():
    return [channels, filters, width, groups, runs]
