"""Soft-argmax of keypoint heatmaps: the expected pixel (x, y) under a softmax over the whole map."""

import torch
from torch import nn

N = 2
K = 8
H = 24
W = 24


class Model(nn.Module):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def forward(self, heat):
        n, k, h, w = heat.shape
        p = torch.softmax(heat.reshape(n, k, h * w) * self.beta, dim=-1).reshape(n, k, h, w)
        xs = torch.arange(w, dtype=heat.dtype)
        ys = torch.arange(h, dtype=heat.dtype)
        ex = (p.sum(dim=2) * xs).sum(dim=-1)
        ey = (p.sum(dim=3) * ys).sum(dim=-1)
        return torch.stack([ex, ey], dim=-1)


def get_inputs():
    return [torch.randn(N, K, H, W)]


def get_init_inputs():
    return [4.0]
