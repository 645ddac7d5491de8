"""Penalties for tokens that were sampled, by whether and how often, and the temperature."""

import torch
import torch.nn as nn

BATCH = 5
VOCAB = 230
HISTORY = 60


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.repetition = 1.3
        self.frequency = 0.2
        self.presence = 0.4
        self.temperature = 0.8

    def forward(self, logits, tokens, lengths):
        n = tokens.shape[1]
        live = torch.arange(n, device=tokens.device)[None, :] < lengths[:, None]
        counts = torch.zeros_like(logits).scatter_add(1, tokens, live.to(logits.dtype))
        seen = counts > 0
        scaled = torch.where(logits > 0, logits / self.repetition, logits * self.repetition)
        out = torch.where(seen, scaled, logits)
        out = out - self.frequency * counts - self.presence * seen.to(logits.dtype)
        return out / self.temperature


def get_inputs():
    return [
        torch.randn(BATCH, VOCAB) * 3,
        torch.randint(0, VOCAB, (BATCH, HISTORY)),
        torch.randint(0, HISTORY + 1, (BATCH,)),
    ]


def get_init_inputs():
    return []
