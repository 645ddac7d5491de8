"""Softmax of attention scores with masked keys at -1e9, float32."""

import torch
from torch import nn

batch = 2
heads = 1
queries = 16
keys = 192


class Model(nn.Module):
    def forward(self, scores, mask):
        return torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)


def get_inputs():
    return [torch.randn(batch, heads, queries, keys), torch.rand(batch, 1, 1, keys) < 0.2]


def get_init_inputs():
    return []
