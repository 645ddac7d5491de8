"""Ranges of each channel that a quantising model keeps up in training and returns."""

import torch
from torch import nn

batch = 512
channels = 96


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("low", torch.full((channels,), float("inf")))
        self.register_buffer("high", torch.full((channels,), float("-inf")))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        if self.training:
            self.low.copy_(torch.minimum(self.low, x.amin(0)))
            self.high.copy_(torch.maximum(self.high, x.amax(0)))
            self.seen += 1
        return self.high - self.low


def get_inputs():
    return [torch.randn(batch, channels)]


def get_init_inputs():
    return [channels]
