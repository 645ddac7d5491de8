"""Causal attention over a sliding window with scores capped by a scaled tanh, as in Gemma 2."""

import math

import torch
import torch.nn as nn

B, H, T, D = 2, 3, 45, 20
WINDOW, CAP = 11, 20.0


class Model(nn.Module):
    def __init__(self, window, cap):
        super().__init__()
        self.window = window
        self.cap = cap

    def forward(self, q, k, v):
        t = q.shape[2]
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        scores = self.cap * torch.tanh(scores / self.cap)
        pos = torch.arange(t, device=q.device)
        dist = pos[:, None] - pos[None, :]
        keep = (dist >= 0) & (dist < self.window)
        scores = scores.masked_fill(~keep, float("-inf"))
        return torch.matmul(torch.softmax(scores, dim=-1), v)


def get_inputs():
    return [torch.randn(B, H, T, D), torch.randn(B, H, T, D), torch.randn(B, H, T, D)]


def get_init_inputs():
    return [WINDOW, CAP]
