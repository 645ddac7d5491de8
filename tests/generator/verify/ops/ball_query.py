"""The first few points within a radius of each centre, in order, filled up with the first of them."""

import torch
from torch import nn

BATCH = 2
POINTS = 4096
CENTERS = 512
RADIUS = 0.4
K = 32


class Model(nn.Module):
    def __init__(self, radius, k):
        super().__init__()
        self.radius = radius
        self.k = k

    def forward(self, xyz, centers):
        n = xyz.shape[1]
        diff = centers[:, :, None, :] - xyz[:, None, :, :]
        d2 = (diff * diff).sum(dim=-1)
        pos = torch.arange(n, device=xyz.device).expand_as(d2)
        cand = torch.where(d2 < self.radius * self.radius, pos, n)
        cand = cand.sort(dim=-1).values
        if self.k > n:
            pad = cand.new_full((*cand.shape[:2], self.k - n), n)
            cand = torch.cat([cand, pad], dim=-1)
        cand = cand[..., : self.k]
        first = cand[..., :1]
        cand = torch.where(cand == n, first, cand)
        return torch.where(cand == n, 0, cand)


def get_inputs():
    xyz = torch.rand(BATCH, POINTS, 3) * 2 - 1
    pick = torch.randint(0, POINTS, (CENTERS,))
    return [xyz, xyz[:, pick].contiguous()]


def get_init_inputs():
    return [RADIUS, K]
