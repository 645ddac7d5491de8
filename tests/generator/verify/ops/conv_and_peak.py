"""A 1x1 convolution, then the largest value over time of each output channel."""

import torch
from torch import nn

BATCH, CHANNELS, OUTS, TIME = 3, 12, 16, 150


class Model(nn.Module):
    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, out, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x).amax(-1)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, TIME)]


def get_init_inputs():
    return [CHANNELS, OUTS]
