"""Scaled, masked softmax as in attention."""

import torch
from torch import nn

batch = 2
heads = 2
tokens = 9


class Model(nn.Module):
    def forward(self, scores, mask):
        scores = (scores * 0.125).masked_fill(mask, float("-inf"))
        return torch.softmax(scores, dim=-1)


def get_inputs():
    mask = torch.rand(batch, 1, tokens, tokens) < 0.3
    return [torch.randn(batch, heads, tokens, tokens), mask]


def get_init_inputs():
    return []
