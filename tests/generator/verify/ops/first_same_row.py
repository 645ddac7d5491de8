"""The first earlier prompt that is the same as each prompt, -1 where none is."""

import torch
from torch import nn

ROWS = 40
WIDTH = 24
BANK = 160


class Model(nn.Module):
    def forward(self, prompt, bank):
        same = (prompt[:, None, :] == bank[None, :, :]).all(-1)
        first = same.to(torch.int64).argmax(1)
        return torch.where(same.any(1), first, torch.full_like(first, -1))


def get_inputs():
    bank = torch.randint(0, 32000, (BANK, WIDTH))
    prompt = torch.randint(0, 32000, (ROWS, WIDTH))
    pick = torch.randint(0, BANK, (ROWS,))
    return [torch.where((torch.arange(ROWS) % 2 == 0)[:, None], bank[pick], prompt), bank]


def get_init_inputs():
    return []
