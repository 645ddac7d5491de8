"""Weighted sums of embedding rows in bags given by offsets; an empty bag gives zeros."""

import torch
from torch import nn

R, D, L, S = 20000, 96, 32768, 1024


class Model(nn.Module):
    def __init__(self, r, d):
        super().__init__()
        self.table = nn.Parameter(torch.randn(r, d))

    def forward(self, idx, w, offsets):
        n = offsets.shape[0] - 1
        bag = torch.searchsorted(
            offsets[1:].contiguous(), torch.arange(idx.shape[0], device=idx.device), right=True
        )
        rows = self.table[idx] * w[:, None]
        return torch.zeros(n, rows.shape[1], dtype=rows.dtype, device=rows.device).index_add(0, bag, rows)


def get_inputs():
    m = L // S
    starts = torch.arange(S) * m + torch.randint(0, m, (S,))
    offsets = torch.cat([torch.zeros(1, dtype=torch.long), starts[1:], torch.full((1,), L)])
    return [torch.randint(0, R, (L,)), torch.rand(L), offsets]


def get_init_inputs():
    return [R, D]
