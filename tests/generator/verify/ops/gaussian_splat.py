"""Colours of pixels under depth-sorted two-dimensional Gaussian splats over a background."""

import torch
import torch.nn as nn

P = 437
G = 30


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.background = nn.Parameter(torch.zeros(3))

    def forward(self, pixel, mean, conic, opacity, colour):
        d = pixel[:, None] - mean[None]
        dx, dy = d[..., 0], d[..., 1]
        power = -0.5 * (conic[:, 0] * dx * dx + conic[:, 2] * dy * dy) - conic[:, 1] * dx * dy
        alpha = (opacity * torch.exp(power)).clamp_max(0.99)
        through = torch.cumprod(1.0 - alpha, dim=1)
        before = torch.cat([torch.ones_like(through[:, :1]), through[:, :-1]], dim=1)
        weight = alpha * before
        out = (weight[..., None] * colour[None]).sum(1)
        return out + through[:, -1:] * self.background


def get_inputs():
    s = torch.rand(G, 3)
    conic = torch.stack([s[:, 0] + 0.3, (s[:, 1] - 0.5) * 0.4, s[:, 2] + 0.3], dim=1)
    return [torch.rand(P, 2) * 8, torch.rand(G, 2) * 8, conic, torch.rand(G), torch.rand(G, 3)]


def get_init_inputs():
    return []
