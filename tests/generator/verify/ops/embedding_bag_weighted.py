"""EmbeddingBag that sums rows with per-sample weights, with offsets and a padding row."""

import torch
from torch import nn

ROWS, DIM, ITEMS, BAGS = 110, 8, 130, 12
PAD = 3


class Model(nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(rows, dim, mode="sum", padding_idx=PAD)

    def forward(self, ids, offsets, weights):
        return self.bag(ids, offsets, per_sample_weights=weights)


def get_inputs():
    offsets = torch.sort(torch.randint(0, ITEMS + 1, (BAGS,))).values
    offsets[0] = 0
    return [torch.randint(0, ROWS, (ITEMS,)), offsets, torch.randn(ITEMS)]


def get_init_inputs():
    return [ROWS, DIM]
