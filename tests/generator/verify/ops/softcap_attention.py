"""Causal attention with soft-capped logits (Gemma 2), a chunk of queries behind a cached past."""

import torch
from torch import nn

batch = 1
heads = 2
past = 1024
queries = 1024
head_dim = 64
cap = 30.0


class Model(nn.Module):
    def __init__(self, cap):
        super().__init__()
        self.cap = cap

    def forward(self, q, k, v):
        score = self.cap * torch.tanh(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 / self.cap)
        seen = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril(
            k.shape[-2] - q.shape[-2]
        )
        return score.masked_fill(~seen, float("-inf")).softmax(-1) @ v


def get_inputs():
    return [
        torch.randn(batch, heads, queries, head_dim),
        torch.randn(batch, heads, past + queries, head_dim),
        torch.randn(batch, heads, past + queries, head_dim),
    ]


def get_init_inputs():
    return [cap]
