"""Tensors turned round along one and two dimensions, forwards and back."""

import torch
from torch import nn

batch = 3
side = 7


class Model(nn.Module):
    def forward(self, x):
        shifted = torch.roll(x, shifts=(-2, 3), dims=(1, 2))
        return torch.relu(shifted), torch.roll(x + 1.0, shifts=1, dims=-1) * x


def get_inputs():
    return [torch.randn(batch, side, side + 2)]


def get_init_inputs():
    return []
