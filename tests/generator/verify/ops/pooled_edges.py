"""Strided average pooling whose edge windows count only what lies inside."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)

    def forward(self, x):
        return self.pool(x)


batch = 3
channels = 10
height = 34
width = 26


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
