"""Rows as signed bytes with a scale each, and back; numbers that lie half way between two others."""

import torch
from torch import nn

rows = 5
width = 40


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127.0
        q = torch.round(x / scale).clamp(-127, 127).to(torch.int8)
        halves = torch.round(torch.round(x * 4.0) * 0.5) + torch.sign(x)
        return q, scale, q.to(torch.float32) * scale, halves


def get_inputs():
    return [torch.randn(rows, width)]


def get_init_inputs():
    return []
