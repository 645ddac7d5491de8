"""The K codes nearest to each query by Hamming distance of packed 64-bit words."""

import torch
from torch import nn

QUERIES = 4
CODES = 500
WORDS = 3
K = 5


class Model(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, query, code):
        diff = query.unsqueeze(1) ^ code.unsqueeze(0)
        dist = torch.zeros(query.shape[0], code.shape[0], dtype=torch.int64, device=query.device)
        for bit in range(64):
            dist = dist + ((diff >> bit) & 1).sum(dim=-1)
        values, places = torch.topk(dist, self.k, dim=1, largest=False, sorted=True)
        return values, places


def get_inputs():
    return [torch.randint(0, 2**62, (QUERIES, WORDS)), torch.randint(0, 2**62, (CODES, WORDS))]


def get_init_inputs():
    return [K]
