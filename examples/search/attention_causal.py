"""Causal attention of GPT-2 medium, 16 heads of 64 over 1024 tokens, a batch of 8, bfloat16.

Sizes: config.json of openai-community/gpt2-medium (n_head, n_embd, n_positions).
"""

import torch
from torch import nn

batch = 8
heads = 16
tokens = 1024
width = 64


class Model(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(batch, heads, tokens, width, dtype=torch.bfloat16) for _ in range(3)]


def get_init_inputs() -> list[int]:
    return []
