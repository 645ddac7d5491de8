"""Which ids are known."""

import torch
from torch import nn

QUERIES = 3000
KEYS = 1500


class Model(nn.Module):
    def forward(self, ids, keys):
        return torch.isin(ids, keys)


def get_inputs():
    keys = torch.randint(0, 1000000, (KEYS,), dtype=torch.int32)
    ids = torch.randint(0, 1000000, (QUERIES,), dtype=torch.int32)
    return [torch.where(torch.rand(QUERIES) < 0.5, keys[torch.randint(0, KEYS, (QUERIES,))], ids), keys]


def get_init_inputs():
    return []
