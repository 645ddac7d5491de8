"""Cyclic shift of an image (Swin's window shift), then a horizontal flip, bfloat16."""

import torch
from torch import nn

batch = 4
channels = 8
height = 24
width = 28


class Model(nn.Module):
    def forward(self, x):
        return torch.flip(torch.roll(x, shifts=(5, -3), dims=(2, 3)), dims=(3,))


def get_inputs():
    return [torch.randn(batch, channels, height, width, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
