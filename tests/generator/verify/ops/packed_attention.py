"""Causal attention within packed sequences, of which offsets tell the beginnings."""

import torch
from torch import nn

COUNT, EACH, HEADS, WIDTH = 4, 40, 2, 32


class Model(nn.Module):
    def forward(self, q, k, v, ends):
        n = q.shape[0]
        i = torch.arange(n, device=q.device)
        seg = (i[:, None] >= ends).sum(1)
        live = (seg[:, None] == seg[None, :]) & (i[:, None] >= i[None, :])
        s = torch.einsum("ihd,jhd->hij", q, k) * q.shape[-1] ** -0.5
        p = torch.softmax(s.masked_fill(~live, float("-inf")), -1)
        out = torch.einsum("hij,jhd->ihd", p, v)
        return torch.where(((i >= ends[0]) & (i < ends[-1]))[:, None, None], out, 0.0)


def get_inputs():
    return [
        torch.randn(COUNT * EACH, HEADS, WIDTH),
        torch.randn(COUNT * EACH, HEADS, WIDTH),
        torch.randn(COUNT * EACH, HEADS, WIDTH),
        torch.arange(0, COUNT * EACH + 1, EACH, dtype=torch.int32),
    ]


def get_init_inputs():
    return []
