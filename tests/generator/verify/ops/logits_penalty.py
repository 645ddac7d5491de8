"""Repetition and frequency penalties on logits, from the tokens of padded histories with lengths."""

import torch
from torch import nn

BATCH = 8
VOCAB = 200
HISTORY = 100
REPETITION = 1.2
FREQUENCY = 0.5


class Model(nn.Module):
    def __init__(self, repetition, frequency):
        super().__init__()
        self.repetition = repetition
        self.frequency = frequency

    def forward(self, logits, ids, lengths):
        real = torch.arange(ids.shape[1], device=ids.device)[None, :] < lengths[:, None]
        counts = torch.zeros_like(logits).scatter_add_(1, ids, real.to(logits.dtype))
        cut = torch.where(logits > 0, logits / self.repetition, logits * self.repetition)
        return torch.where(counts > 0, cut, logits) - self.frequency * counts


def get_inputs():
    return [
        torch.randn(BATCH, VOCAB),
        torch.randint(0, VOCAB, (BATCH, HISTORY)),
        torch.randint(0, HISTORY + 1, (BATCH,)),
    ]


def get_init_inputs():
    return [REPETITION, FREQUENCY]
