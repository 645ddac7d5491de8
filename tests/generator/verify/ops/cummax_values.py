"""Running maximum along time, values only, float32."""

import torch
from torch import nn

batch = 32
steps = 2048
channels = 256


class Model(nn.Module):
    def forward(self, x):
        return torch.cummax(x, dim=1).values


def get_inputs():
    return [torch.randn(batch, steps, channels)]


def get_init_inputs():
    return []
