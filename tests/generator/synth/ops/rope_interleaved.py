"""Rotary embedding of neighbouring pairs, joined by stack and flatten."""

import torch
from torch import nn

batch = 2
tokens = 5
heads = 3
head_dim = 8


class Model(nn.Module):
    def forward(self, q, cos, sin):
        even, odd = q[..., 0::2], q[..., 1::2]
        cos, sin = cos[None, :, None, :], sin[None, :, None, :]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def get_inputs():
    angles = torch.randn(tokens, head_dim // 2)
    return [torch.randn(batch, tokens, heads, head_dim), angles.cos(), angles.sin()]


def get_init_inputs():
    return []
