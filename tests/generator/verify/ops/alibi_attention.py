"""Attention with a bias linear in the distance of places, over keys up to a length for each sequence."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, num_heads):
        super().__init__()
        slopes = torch.tensor([2.0 ** (-8.0 * (i + 1) / num_heads) for i in range(num_heads)])
        self.register_buffer("slopes", slopes)

    def forward(self, q, k, v, lengths):
        L, S = q.shape[2], k.shape[2]
        scores = torch.matmul(q, k.transpose(-2, -1)) * (q.shape[-1] ** -0.5)
        places = torch.arange(S, device=q.device)
        dist = (torch.arange(L, device=q.device)[:, None] - places[None, :]).abs().to(q.dtype)
        scores = scores - self.slopes[None, :, None, None] * dist
        keep = (places[None, :] < lengths[:, None])[:, None, None, :]
        p = torch.softmax(scores.masked_fill(~keep, float("-inf")), dim=-1)
        return torch.matmul(p.masked_fill(~keep, 0.0), v)


batch_size = 2
num_heads = 3
seq_len = 72
head_dim = 24


def get_inputs():
    return [
        torch.randn(batch_size, num_heads, seq_len, head_dim),
        torch.randn(batch_size, num_heads, seq_len, head_dim),
        torch.randn(batch_size, num_heads, seq_len, head_dim),
        torch.randint(1, seq_len + 1, (batch_size,)),
    ]


def get_init_inputs():
    return [num_heads]
