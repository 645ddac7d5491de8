"""Nucleus filter: logits outside the smallest set whose probability passes top_p become minus infinity."""

import torch
import torch.nn as nn

B, V = 6, 131


class Model(nn.Module):
    def __init__(self, top_p):
        super().__init__()
        self.top_p = top_p

    def forward(self, logits):
        ordered, index = torch.sort(logits, dim=-1, descending=True, stable=True)
        p = torch.softmax(ordered, dim=-1)
        before = torch.cumsum(p, dim=-1) - p
        drop = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, index, before > self.top_p)
        return logits.masked_fill(drop, float("-inf"))


def get_inputs():
    return [torch.randn(B, V) * 2]


def get_init_inputs():
    return [0.7731]
