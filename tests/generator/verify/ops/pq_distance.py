"""Asymmetric distances of queries to product-quantised vectors."""

import torch
from torch import nn

Q = 4
N = 130
M = 4
KS = 64
DS = 4


class Model(nn.Module):
    def __init__(self, m, ks, ds):
        super().__init__()
        self.codebooks = nn.Parameter(torch.randn(m, ks, ds))

    def forward(self, queries, codes):
        m, _, ds = self.codebooks.shape
        q = queries.reshape(-1, m, 1, ds)
        lut = ((q - self.codebooks) ** 2).sum(-1)
        idx = codes.long().t().unsqueeze(0).expand(lut.shape[0], -1, -1)
        return torch.gather(lut, 2, idx).sum(1)


def get_inputs():
    return [torch.randn(Q, M * DS), torch.randint(0, KS, (N, M), dtype=torch.uint8)]


def get_init_inputs():
    return [M, KS, DS]
