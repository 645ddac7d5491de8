"""Logits of tokens that were seen before, made less likely (Keskar et al. 2019)."""

import torch
from torch import nn

batch = 16
vocabulary = 4096
seen = 384


class Model(nn.Module):
    def forward(self, logits, tokens, penalty):
        score = logits.gather(1, tokens)
        factor = penalty[:, None]
        return logits.scatter(1, tokens, torch.where(score < 0, score * factor, score / factor))


def get_inputs():
    tokens = torch.randint(0, vocabulary, (batch, seen))
    return [torch.randn(batch, vocabulary), tokens, 1.0 + 0.5 * torch.rand(batch)]


def get_init_inputs():
    return []
