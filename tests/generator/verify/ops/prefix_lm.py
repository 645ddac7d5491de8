"""Prefix-LM attention: each sequence sees its own prefix whole and the rest causally."""

import torch
from torch import nn

batch = 2
heads = 4
tokens = 512
dim = 32


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = dim**-0.5

    def forward(self, q, k, v, prefix):
        place = torch.arange(q.shape[2], device=q.device)
        seen = (place[None, :] <= place[:, None]) | (place < prefix[:, None, None, None])
        scores = (q @ k.transpose(-1, -2) * self.scale).masked_fill(~seen, float("-inf"))
        return scores.softmax(-1) @ v


def get_inputs():
    return [
        *(torch.randn(batch, heads, tokens, dim) for _ in range(3)),
        torch.randint(tokens // 2, tokens + 1, (batch,)),
    ]


def get_init_inputs():
    return [dim]
