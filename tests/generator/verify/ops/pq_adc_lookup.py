"""Product quantisation: a table of squared distances for each query, looked up by the codes of a base."""

import torch
import torch.nn as nn

QUERIES = 32
BASE = 2048
PARTS = 8
CODES = 128
SUB = 8


class Model(nn.Module):
    def __init__(self, parts, codes, sub):
        super().__init__()
        self.codebook = nn.Parameter(torch.randn(parts, codes, sub))

    def forward(self, queries, codes):
        parts, _, sub = self.codebook.shape
        q = queries.reshape(queries.shape[0], parts, 1, sub)
        table = (q - self.codebook[None]).pow(2).sum(-1)
        at = codes.t()[None].expand(queries.shape[0], -1, -1)
        return table.gather(2, at).sum(1)


def get_inputs():
    return [torch.randn(QUERIES, PARTS * SUB), torch.randint(0, CODES, (BASE, PARTS))]


def get_init_inputs():
    return [PARTS, CODES, SUB]
