"""Transposed convolutions, with and without a stride."""

import torch
from torch import nn

batch = 2
channels = 4
filters = 6
side = 4


class Model(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.plain = nn.ConvTranspose2d(channels, filters, 3, bias=False)
        self.strided = nn.ConvTranspose2d(channels, filters, 3, stride=2, padding=1, output_padding=1)
        self.line = nn.ConvTranspose1d(channels, filters, 4, stride=3, dilation=2, groups=2)

    def forward(self, x, y):
        return self.plain(x), torch.tanh(self.strided(x)), self.line(y)


def get_inputs():
    return [torch.randn(batch, channels, side, side), torch.randn(batch, channels, side)]


def get_init_inputs():
    return [channels, filters]
