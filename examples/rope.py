"""Rotary position embedding of the queries of Llama-3-8B: 32 heads of 128, theta 500000, bfloat16.

The halves of each head are rotated against each other, as in Hugging Face's Llama; cos and sin hold every
angle twice. Sizes: config.json of meta-llama/Meta-Llama-3-8B; four sequences of 2048 tokens.
"""

import torch
from torch import nn

batch = 4
heads = 32
tokens = 2048
head_dim = 128
theta = 500000.0


class Model(nn.Module):
    def forward(self, query: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        half = query.shape[-1] // 2
        rotated = torch.cat((-query[..., half:], query[..., :half]), dim=-1)
        return query * cos + rotated * sin


def get_inputs() -> list[torch.Tensor]:
    frequencies = theta ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(tokens).float(), frequencies)
    angles = torch.cat((angles, angles), dim=-1)
    query = torch.randn(batch, heads, tokens, head_dim, dtype=torch.bfloat16)
    return [query, angles.cos().bfloat16(), angles.sin().bfloat16()]


def get_init_inputs() -> list[int]:
    return []
