"""Causal sliding-window attention with grouped keys (Mistral), float16."""

import torch
from torch import nn

batch = 2
kv_heads = 1
group = 2
tokens = 384
head_dim = 16
window = 72


class Model(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, q, k, v):
        repeat = q.shape[1] // k.shape[1]
        k = k.repeat_interleave(repeat, dim=1)
        v = v.repeat_interleave(repeat, dim=1)
        i = torch.arange(q.shape[2], device=q.device)
        gap = i[:, None] - i[None]
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=(gap >= 0) & (gap < self.window))


def get_inputs():
    q = torch.randn(batch, kv_heads * group, tokens, head_dim, dtype=torch.float16)
    k = torch.randn(batch, kv_heads, tokens, head_dim, dtype=torch.float16)
    v = torch.randn(batch, kv_heads, tokens, head_dim, dtype=torch.float16)
    return [q, k, v]


def get_init_inputs():
    return [window]
