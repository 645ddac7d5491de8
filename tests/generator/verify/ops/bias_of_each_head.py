"""Attention with a bias for each head and a mask of keys; rows that see nothing give nothing."""

import torch
from torch import nn

BATCH = 2
HEADS = 2
QUERIES = 24
KEYS = 40
DIM = 16


class Model(nn.Module):
    def forward(self, q, k, v, bias, mask):
        s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 + bias[None]
        see = mask[:, None, None, :]
        s = s.masked_fill(~see, float("-inf"))
        top = s.amax(-1, keepdim=True)
        top = torch.where(top == float("-inf"), 0.0, top)
        p = torch.exp(s - top)
        total = p.sum(-1, keepdim=True)
        v = v.masked_fill(~mask[:, None, :, None], 0.0)
        return (p @ v) / torch.where(total == 0, 1.0, total), (top + total.log())[..., 0]


def get_inputs():
    return [
        torch.randn(BATCH, HEADS, QUERIES, DIM),
        torch.randn(BATCH, HEADS, KEYS, DIM),
        torch.randn(BATCH, HEADS, KEYS, DIM),
        torch.randn(HEADS, QUERIES, KEYS),
        torch.rand(BATCH, KEYS) < 0.8,
    ]


def get_init_inputs():
    return []
