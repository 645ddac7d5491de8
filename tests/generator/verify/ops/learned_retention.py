"""Retention: causal linear attention in which every head forgets at its own learned rate."""

import torch
import torch.nn as nn

BATCH = 2
HEADS = 4
TIME = 256
DIM = 64


class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        gamma = 1 - torch.pow(2.0, -3.0 - torch.arange(heads, dtype=torch.float32))
        self.decay = nn.Parameter(torch.log(gamma / (1 - gamma)))

    def forward(self, q, k, v):
        time = q.shape[2]
        gamma = torch.sigmoid(self.decay)[:, None, None]
        place = torch.arange(time, device=q.device)
        ago = place[:, None] - place[None, :]
        weight = torch.where(ago >= 0, torch.pow(gamma, ago.clamp(min=0)), 0.0)
        score = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5
        return torch.matmul(score * weight, v)


def get_inputs():
    return [
        torch.randn(BATCH, HEADS, TIME, DIM),
        torch.randn(BATCH, HEADS, TIME, DIM),
        torch.randn(BATCH, HEADS, TIME, DIM),
    ]


def get_init_inputs():
    return [HEADS]
