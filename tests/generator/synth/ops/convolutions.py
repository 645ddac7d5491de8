"""Convolutions: strided, dilated, grouped, depthwise, of one to three dimensions."""

import torch
from torch import nn

batch = 2
channels = 4
filters = 6
side = 5


class Model(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.plain = nn.Conv2d(channels, filters, 3, padding=1)
        self.strided = nn.Conv2d(channels, filters, (3, 2), stride=2, padding=(1, 0), dilation=(1, 2))
        self.grouped = nn.Conv2d(channels, channels, 3, groups=2)
        self.depthwise = nn.Conv2d(channels, channels, 3, groups=channels, padding="same")
        self.line = nn.Conv1d(channels, filters, 3, bias=False)
        self.cube = nn.Conv3d(channels, filters, 2)

    def forward(self, x, y, z):
        return (
            nn.functional.relu(self.plain(torch.sigmoid(x))) + 1.0,
            self.strided(x),
            self.grouped(x),
            self.depthwise(x),
            self.line(y),
            self.cube(z),
        )


def get_inputs():
    return [
        torch.randn(batch, channels, side, side),
        torch.randn(batch, channels, side),
        torch.randn(batch, channels, side, side, side),
    ]


def get_init_inputs():
    return [channels, filters]
