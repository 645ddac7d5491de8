"""Global response normalisation of ConvNeXt V2 on channels-last maps."""

import torch
from torch import nn

N = 2
H = 12
W = 12
C = 32


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gamma = nn.Parameter(torch.randn(channels) * 0.5)
        self.beta = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        g = (x * x).sum(dim=(1, 2), keepdim=True).sqrt()
        nx = g / (g.mean(dim=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * nx) + self.beta + x


def get_inputs():
    return [torch.randn(N, H, W, C)]


def get_init_inputs():
    return [C]
