"""Causal sliding-window attention with grouped heads and one learned sink logit per head."""

import torch
from torch import nn

HEADS = 4
KV_HEADS = 2
TOKENS = 64
DIM = 32
WINDOW = 20


class Model(nn.Module):
    def __init__(self, heads, window):
        super().__init__()
        self.window = window
        self.sinks = nn.Parameter(torch.randn(heads))

    def forward(self, q, k, v):
        heads, tokens, dim = q.shape
        g = heads // k.shape[0]
        k = k.repeat_interleave(g, dim=0)
        v = v.repeat_interleave(g, dim=0)
        s = q @ k.transpose(1, 2) * (dim**-0.5)
        i = torch.arange(tokens)[:, None]
        j = torch.arange(tokens)[None, :]
        keep = (j <= i) & (i - j < self.window)
        s = s.masked_fill(~keep, float("-inf"))
        sink = self.sinks[:, None, None].expand(heads, tokens, 1)
        p = torch.softmax(torch.cat([s, sink], dim=-1), dim=-1)
        return p[..., :tokens] @ v


def get_inputs():
    return [
        torch.randn(HEADS, TOKENS, DIM),
        torch.randn(KV_HEADS, TOKENS, DIM),
        torch.randn(KV_HEADS, TOKENS, DIM),
    ]


def get_init_inputs():
    return [HEADS, WINDOW]
