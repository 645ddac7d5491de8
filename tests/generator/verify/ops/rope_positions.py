"""Rotary embedding (half-split layout) with tables gathered by position ids."""

import torch
from torch import nn

BATCH, TOKENS, HEADS, HEAD_DIM = 2, 101, 3, 8
MAX_POS = 128


class Model(nn.Module):
    def __init__(self, head_dim, max_pos):
        super().__init__()
        inv = 10000.0 ** (-torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim)
        angles = torch.arange(max_pos, dtype=torch.float32)[:, None] * inv[None, :]
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, x, position_ids):
        cos = self.cos[position_ids][:, :, None, :]
        sin = self.sin[position_ids][:, :, None, :]
        x1, x2 = x.unflatten(-1, (2, -1)).unbind(-2)
        return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)


def get_inputs():
    return [torch.randn(BATCH, TOKENS, HEADS, HEAD_DIM), torch.randint(0, MAX_POS, (BATCH, TOKENS))]


def get_init_inputs():
    return [HEAD_DIM, MAX_POS]
