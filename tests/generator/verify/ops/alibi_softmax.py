"""Softmax of scaled scores with a bias by distance and a padding mask; rows that see nothing are zero."""

import torch
from torch import nn

B = 2
H = 4
Q = 37
S = 260
SCALE = 0.1


class Model(nn.Module):
    def __init__(self, heads, scale):
        super().__init__()
        self.scale = scale
        self.slopes = nn.Parameter(torch.rand(heads) * 0.2)

    def forward(self, scores, keep):
        nq, ns = scores.shape[-2:]
        rel = torch.arange(ns)[None, :] - torch.arange(nq)[:, None] - (ns - nq)
        x = scores * self.scale + self.slopes[:, None, None] * rel.to(scores.dtype)
        x = x.masked_fill(~keep[:, None, None, :], float("-inf"))
        none = x.amax(dim=-1, keepdim=True) == float("-inf")
        return torch.softmax(x, dim=-1).masked_fill(none, 0.0)


def get_inputs():
    return [torch.randn(B, H, Q, S) * 3, torch.rand(B, S) < 0.8]


def get_init_inputs():
    return [H, SCALE]
