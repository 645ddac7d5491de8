"""Softmax under a causal mask that forward builds."""

import torch
from torch import nn

batch = 2
tokens = 12


class Model(nn.Module):
    def forward(self, scores):
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device=scores.device).tril()
        return torch.softmax(scores.masked_fill(~causal, float("-inf")), dim=-1)


def get_inputs():
    return [torch.randn(batch, tokens, tokens)]


def get_init_inputs():
    return []
