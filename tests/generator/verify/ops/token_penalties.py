"""Counts the token just drawn, in place, then puts repetition, frequency and presence penalties on logits."""

import torch
from torch import nn

BATCH = 8
VOCAB = 2000


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, counts, tokens, repetition, frequency, presence):
        one = torch.ones_like(tokens[:, None], dtype=counts.dtype)
        counts.scatter_add_(1, tokens[:, None], one)
        seen = counts > 0
        repetition = repetition[:, None]
        scaled = torch.where(logits > 0, logits / repetition, logits * repetition)
        out = torch.where(seen, scaled, logits)
        out = out - frequency[:, None] * counts.to(logits.dtype)
        return out - presence[:, None] * seen.to(logits.dtype)


def get_inputs():
    return [
        torch.randn(BATCH, VOCAB) * 4,
        torch.randint(0, 4, (BATCH, VOCAB), dtype=torch.int32),
        torch.randint(0, VOCAB, (BATCH,)),
        torch.rand(BATCH) + 0.75,
        torch.rand(BATCH),
        torch.rand(BATCH),
    ]


def get_init_inputs():
    return []
