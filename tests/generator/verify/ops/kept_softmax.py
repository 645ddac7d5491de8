"""Softmax with a temperature over the logits that reach a threshold, as samplers of the largest k take it."""

import torch
from torch import nn

batch = 32
vocabulary = 2048


class Model(nn.Module):
    def forward(self, logits, threshold, temperature):
        kept = torch.where(logits < threshold[:, None], float("-inf"), logits)
        return torch.softmax(kept / temperature[:, None], dim=-1)


def get_inputs():
    return [torch.randn(batch, vocabulary), torch.randn(batch) * 0.3 - 0.5, 0.5 + torch.rand(batch)]


def get_init_inputs():
    return []
