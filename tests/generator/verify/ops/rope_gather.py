"""Interleaved (GPT-J) rotary embedding with gathered positions, float16."""

import torch
from torch import nn

batch = 2
heads = 4
tokens = 64
half_dim = 16
max_positions = 256


class Model(nn.Module):
    def forward(self, x, positions, cos, sin):
        c = cos[positions].unsqueeze(1)
        s = sin[positions].unsqueeze(1)
        even, odd = x[..., 0::2].float(), x[..., 1::2].float()
        return torch.stack((even * c - odd * s, even * s + odd * c), -1).flatten(-2).to(x.dtype)


def get_inputs():
    x = torch.randn(batch, heads, tokens, 2 * half_dim, dtype=torch.float16)
    positions = torch.randint(0, max(1, max_positions // 4), (batch, tokens))
    angles = torch.randn(max_positions, half_dim)
    return [x, positions, angles.cos(), angles.sin()]


def get_init_inputs():
    return []
