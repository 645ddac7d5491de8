"""Rotary embedding, halves against each other, in float16."""

import torch
from torch import nn

batch = 2
heads = 3
tokens = 5
head_dim = 8


class Model(nn.Module):
    def forward(self, q, cos, sin):
        half = head_dim // 2
        rotated = torch.cat((-q[..., half:], q[..., :half]), dim=-1)
        return q * cos + rotated * sin


def get_inputs():
    angles = torch.randn(tokens, head_dim // 2).repeat(1, 2)
    return [torch.randn(batch, heads, tokens, head_dim).half(), angles.cos().half(), angles.sin().half()]


def get_init_inputs():
    return []
