"""Stable descending sort of every row, with the places."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        values, places = torch.sort(x, dim=1, descending=True, stable=True)
        return values, places


rows = 29
length = 211


def get_inputs():
    return [torch.randn(rows, length)]


def get_init_inputs():
    return []
