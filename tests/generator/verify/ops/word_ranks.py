"""How many bits are set before each word and in all, and the place of the first one (-1 where none is)."""

import torch
from torch import nn

ROWS = 24
WORDS = 40


class Model(nn.Module):
    def forward(self, words):
        shifts = torch.arange(32, device=words.device, dtype=torch.int32)
        bits = ((words.unsqueeze(-1) >> shifts) & 1).to(torch.int64)
        count = bits.sum(-1)
        before = torch.cumsum(count, 1) - count
        flat = bits.flatten(1)
        n = flat.shape[1]
        none = torch.full_like(flat, n)
        place = torch.where(flat > 0, torch.arange(n, device=words.device), none).amin(1)
        return before.to(torch.int32), count.sum(1), torch.where(place < n, place, torch.full_like(place, -1))


def get_inputs():
    return [torch.randint(-(2**31), 2**31 - 1, (ROWS, WORDS), dtype=torch.int32)]


def get_init_inputs():
    return []
