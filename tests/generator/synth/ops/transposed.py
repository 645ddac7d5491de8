"""Transposes and permutes between operators."""

import torch
from torch import nn

batch = 3
rows = 6
width = 7


class Model(nn.Module):
    def forward(self, x, y):
        return torch.relu(x.transpose(1, 2) + y), (x.permute(2, 0, 1) * 2).sum(-1), nn.functional.gelu(x).mT


def get_inputs():
    return [torch.randn(batch, rows, width), torch.randn(batch, width, rows)]


def get_init_inputs():
    return []
