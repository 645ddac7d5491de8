"""Causal attention on a packed query-key-value tensor with ALiBi biases, one slope per head."""

import math

import torch
import torch.nn as nn

B, T, H, D = 2, 39, 3, 12


class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.register_buffer(
            "slopes", 2.0 ** (-8.0 * (torch.arange(heads, dtype=torch.float32) + 1.0) / heads)
        )

    def forward(self, qkv):
        b, t, c = qkv.shape
        d = c // (3 * self.heads)
        q, k, v = qkv.reshape(b, t, 3, self.heads, d).permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.matmul(q, k.transpose(-1, -2)) * (1.0 / math.sqrt(d))
        pos = torch.arange(t, device=qkv.device)
        dist = pos[:, None] - pos[None, :]
        scores = scores - self.slopes[None, :, None, None] * dist.to(scores.dtype)
        scores = scores.masked_fill(dist < 0, float("-inf"))
        out = torch.matmul(torch.softmax(scores, dim=-1), v)
        return out.transpose(1, 2).reshape(b, t, self.heads * d)


def get_inputs():
    return [torch.randn(B, T, 3 * H * D)]


def get_init_inputs():
    return [H]
