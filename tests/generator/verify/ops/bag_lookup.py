"""Weighted bags of rows of a large table; int32 ids and offsets, and a bag may be empty."""

import torch
from torch import nn
from torch.nn import functional

ROWS = 17_000_000
DIM = 128
BAGS = 4096
IDS = BAGS * 20


class Model(nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, dim))

    def forward(self, ids, offsets, sample_weights):
        return functional.embedding_bag(
            ids, self.weight, offsets, mode="sum", per_sample_weights=sample_weights
        )


def get_inputs():
    ids = torch.randint(0, ROWS, (IDS,), dtype=torch.int32)
    starts = (torch.randperm(IDS - 1)[: BAGS - 1] + 1).sort().values
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), starts]).to(torch.int32)
    return [ids, offsets, torch.rand(IDS)]


def get_init_inputs():
    return [ROWS, DIM]
