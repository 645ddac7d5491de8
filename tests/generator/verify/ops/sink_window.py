"""Causal sliding-window attention with a learned sink a head that takes probability and gives nothing."""

import torch
import torch.nn as nn

B, H, N, D = 2, 3, 45, 24
WINDOW = 11


class Model(nn.Module):
    def __init__(self, heads, window):
        super().__init__()
        self.window = window
        self.sinks = nn.Parameter(torch.randn(heads, dtype=torch.float16))

    def forward(self, q, k, v):
        n = q.shape[2]
        scores = torch.matmul(q * (q.shape[-1] ** -0.5), k.transpose(-2, -1))
        i = torch.arange(n, device=q.device)
        gap = i[:, None] - i[None, :]
        scores = scores.masked_fill((gap < 0) | (gap >= self.window), float("-inf"))
        sink = self.sinks.view(1, -1, 1, 1).expand(q.shape[0], -1, n, 1)
        p = torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)
        return torch.matmul(p[..., :-1], v)


def get_inputs():
    return [torch.randn(B, H, N, D, dtype=torch.float16) for _ in range(3)]


def get_init_inputs():
    return [H, WINDOW]
