"""Causal attention of a decoder: 16 heads of 128 over 2048 tokens in bfloat16."""

import torch
from torch import nn

batch = 8
heads = 16
tokens = 2048
head_dim = 128


class Model(nn.Module):
    """scaled_dot_product_attention(q, k, v), each query looking back."""

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """q, k, v and the result: (batch, heads, tokens, head_dim)."""
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs():
    return [torch.randn(batch, heads, tokens, head_dim, dtype=torch.bfloat16) for _ in range(3)]


def get_init_inputs():
    return []
