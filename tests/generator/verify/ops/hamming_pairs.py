"""Hamming distances of 32-bit codes, every query with every code."""

import torch
from torch import nn

QUERIES, CODES, WORDS = 60, 150, 2


class Model(nn.Module):
    def forward(self, query, code):
        diff = query[:, None] ^ code[None]
        shifts = torch.arange(32, device=query.device, dtype=torch.int32)
        return ((diff.unsqueeze(-1) >> shifts) & 1).sum((-1, -2)).to(torch.int32)


def get_inputs():
    return [
        torch.randint(-(2**31), 2**31 - 1, (QUERIES, WORDS), dtype=torch.int32),
        torch.randint(-(2**31), 2**31 - 1, (CODES, WORDS), dtype=torch.int32),
    ]


def get_init_inputs():
    return []
