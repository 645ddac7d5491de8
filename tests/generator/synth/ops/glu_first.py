"""GLU over the channels of an image."""

import torch
from torch import nn

batch = 2
channels = 6
side = 5


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.glu(x, dim=1)


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return []
