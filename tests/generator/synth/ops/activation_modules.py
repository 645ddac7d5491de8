"""Activations as modules, some with parameters, in sequence."""

import torch
from torch import nn

rows = 6
channels = 5
width = 7


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.layers = nn.ModuleList(
            [nn.PReLU(channels), nn.Hardswish(), nn.PReLU(), nn.Softplus(), nn.LogSigmoid(), nn.SELU()]
        )

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def get_inputs():
    return [torch.randn(rows, channels, width)]


def get_init_inputs():
    return [channels]
