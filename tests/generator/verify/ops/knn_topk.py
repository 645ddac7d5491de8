"""The K nearest rows of a bank for every query, both in float16: distances (float16) and places."""

import torch
import torch.nn as nn

Q = 96
N = 2000
D = 32
K = 8


class Model(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, queries, bank):
        diff = queries.float().unsqueeze(1) - bank.float().unsqueeze(0)
        d2 = diff.square().sum(dim=-1)
        near, index = torch.topk(d2, self.k, dim=1, largest=False, sorted=True)
        return near.sqrt().to(queries.dtype), index


def get_inputs():
    return [torch.randn(Q, D, dtype=torch.float16), torch.randn(N, D, dtype=torch.float16)]


def get_init_inputs():
    return [K]
