"""Largest value along the middle dimension and its (first) place."""

import torch
import torch.nn as nn

BATCH = 64
LENGTH = 2000
FEATURES = 384


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, indices = torch.max(x, dim=1)
        return values, indices


def get_inputs():
    return [torch.randn(BATCH, LENGTH, FEATURES)]


def get_init_inputs():
    return []
