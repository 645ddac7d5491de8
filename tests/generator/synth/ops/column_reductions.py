"""Reductions over a middle dimension."""

import torch
from torch import nn

batch = 3
depth = 21
width = 18


class Model(nn.Module):
    def forward(self, x):
        return {
            "sum": x.sum(1),
            "max": tuple(x.max(dim=1)),
            "argmin": x.argmin(1),
            "prod": x.prod(1),
            "var": x.var(1, keepdim=True),
            "mean": x.mean(1),
            "amin": x.amin(1, keepdim=True),
            "std": x.std(1),
        }


def get_inputs():
    return [torch.randn(batch, depth, width) * 0.3 + 1.0]


def get_init_inputs():
    return []
