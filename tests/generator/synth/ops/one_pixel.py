"""Windows over a dimension of one element: all but one of their taps lie in the padding."""

import torch
from torch import nn

batch = 2
channels = 6
side = 5


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 3, stride=2, padding=1, groups=channels)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x, row):
        pixel = x.mean((2, 3), keepdim=True)
        pooled = nn.functional.avg_pool2d(row, 3, stride=1, padding=1)
        return self.depthwise(pixel), self.conv(pixel), self.conv(row), pooled


def get_inputs():
    return [torch.randn(batch, channels, side, side), torch.randn(batch, channels, 1, side)]


def get_init_inputs():
    return [channels]
