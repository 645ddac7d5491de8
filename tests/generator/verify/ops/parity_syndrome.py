"""Syndromes of packed words under a parity-check matrix of packed rows, and whether a word is clean."""

import torch
import torch.nn as nn

BATCH = 4096
CHECKS = 96
WORDS = 3


class Model(nn.Module):
    def __init__(self, checks, words):
        super().__init__()
        low, high = -(2**63), 2**63 - 1
        self.register_buffer("checks", torch.randint(low, high, (checks, words), dtype=torch.int64))

    def forward(self, words):
        v = words[:, None, :] & self.checks[None, :, :]
        for shift in (32, 16, 8, 4, 2, 1):
            v = v ^ (v >> shift)
        syndrome = ((v & 1).sum(dim=-1) & 1).to(torch.bool)
        return syndrome, ~syndrome.any(dim=-1)


def get_inputs():
    return [torch.randint(-(2**63), 2**63 - 1, (BATCH, WORDS), dtype=torch.int64)]


def get_init_inputs():
    return [CHECKS, WORDS]
