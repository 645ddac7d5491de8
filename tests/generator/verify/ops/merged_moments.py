"""Rows by mean and deviation of all that was seen, merged batch by batch and counted in 32 bits."""

import torch
from torch import nn

ROWS, FEATURES = 80, 120


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("m2", torch.zeros(features))
        self.register_buffer("count", torch.zeros((), dtype=torch.int32))

    def forward(self, x):
        n = x.shape[0]
        bm = x.mean(0)
        b2 = ((x - bm) ** 2).sum(0)
        c = self.count.to(x.dtype)
        d = bm - self.mean
        total = c + n
        self.m2.add_(b2 + d * d * c * n / total)
        self.mean.add_(d * n / total)
        self.count.add_(n)
        return (x - self.mean) / torch.sqrt(self.m2 / total + 1e-5)


def get_inputs():
    return [torch.randn(ROWS, FEATURES)]


def get_init_inputs():
    return [FEATURES]
