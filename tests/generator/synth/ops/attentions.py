"""Attention: plain and causal, with masks of both kinds, grouped heads, and weights that are no softmax."""

import math

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

batch = 2
heads = 4
tokens = 18
head_dim = 10


class Model(nn.Module):
    def forward(self, q, k, v, mask, bias, shared, short_q, short_k, short_v):
        near = short_q @ short_k.transpose(-2, -1) * (1.0 / math.sqrt(short_q.size(-1)))
        back = short_k @ short_q.transpose(-2, -1) * (1.0 / math.sqrt(short_q.size(-1)))
        rows = shared.transpose(1, 2)
        return (
            scaled_dot_product_attention(q, k, v) * 2.0,
            scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).contiguous(),
            scaled_dot_product_attention(q, k, v, attn_mask=mask),
            scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=0.5),
            scaled_dot_product_attention(q, rows, rows, enable_gqa=True),
            torch.relu(near + bias.to(near.dtype)) @ short_v,
            torch.softmax(back.masked_fill(~mask[1:2], -1e9), dim=-1) @ short_v,
        )


def get_inputs():
    q, k, v = (torch.randn(batch, heads, tokens, head_dim) for _ in range(3))
    mask = torch.randint(0, 2, (tokens, tokens)).bool()
    mask[0] = False
    short = [torch.randn(batch, heads, tokens, head_dim).bfloat16() for _ in range(3)]
    return [q, k, v, mask, torch.randn(tokens, tokens), torch.randn(batch, tokens, 2, head_dim), *short]


def get_init_inputs():
    return []
