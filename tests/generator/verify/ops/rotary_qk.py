"""Rotary embedding (half-split) of queries and keys at given positions, from tables of cosines and sines."""

import torch
from torch import nn

BATCH = 2
SEQ = 24
Q_HEADS = 8
KV_HEADS = 2
HEAD_DIM = 16
MAX_POS = 64


class Model(nn.Module):
    def __init__(self, head_dim, max_pos):
        super().__init__()
        inv = 1.0 / (10000.0 ** (torch.arange(0, head_dim, 2).float() / head_dim))
        ang = torch.outer(torch.arange(max_pos).float(), inv)
        self.register_buffer("cos", ang.cos())
        self.register_buffer("sin", ang.sin())

    def forward(self, q, k, positions):
        c = self.cos[positions][:, :, None, :]
        s = self.sin[positions][:, :, None, :]

        def rot(x):
            a, b = x.chunk(2, -1)
            return torch.cat((a * c - b * s, b * c + a * s), -1)

        return rot(q), rot(k)


def get_inputs():
    return [
        torch.randn(BATCH, SEQ, Q_HEADS, HEAD_DIM),
        torch.randn(BATCH, SEQ, KV_HEADS, HEAD_DIM),
        torch.randint(0, MAX_POS, (BATCH, SEQ)),
    ]


def get_init_inputs():
    return [HEAD_DIM, MAX_POS]
