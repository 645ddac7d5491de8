"""Attention: plain and causal, with masks of both kinds, grouped heads, and weights that are no softmax."""

import math

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

batch = 2
heads = 4
tokens = 21
head_dim = 10


class Model(nn.Module):
    def forward(self, q, k, v, mask, bias, shared):
        by_hand = torch.relu(q @ k.transpose(-2, -1) * (1.0 / math.sqrt(q.size(-1))) + bias) @ v
        near = (q @ k.transpose(-2, -1) * (1.0 / math.sqrt(q.size(-1)))).masked_fill(~mask[1:2], -1e9)
        rows = shared.transpose(1, 2)
        return (
            scaled_dot_product_attention(q, k, v) * 2.0,
            scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).contiguous(),
            scaled_dot_product_attention(q, k, v, attn_mask=mask),
            scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=0.5),
            scaled_dot_product_attention(q, rows, rows, enable_gqa=True),
            by_hand,
            torch.softmax(near, dim=-1) @ v,
        )


def get_inputs():
    q, k, v = (torch.randn(batch, heads, tokens, head_dim) for _ in range(3))
    mask = torch.randint(0, 2, (tokens, tokens)).bool()
    mask[0] = False
    return [q, k, v, mask, torch.randn(tokens, tokens), torch.randn(batch, tokens, 2, head_dim)]


def get_init_inputs():
    return []
