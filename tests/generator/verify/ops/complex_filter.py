"""Product of a spectrum with a learned complex filter, both as (re, im) pairs (Global Filter Network)."""

import torch
from torch import nn

batch = 8
freqs = 64
channels = 16


class Model(nn.Module):
    def __init__(self, freqs, channels):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(freqs, channels, 2) * 0.02)

    def forward(self, x):
        return torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(self.filter))


def get_inputs():
    return [torch.randn(batch, freqs, channels, 2)]


def get_init_inputs():
    return [freqs, channels]
