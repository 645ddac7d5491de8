"""The Adler-32 checksum of each row of bytes."""

import torch
from torch import nn

ROWS, BYTES = 4, 2500


class Model(nn.Module):
    def forward(self, x):
        length = x.shape[1]
        wide = x.to(torch.int64)
        low = (1 + wide.sum(1)) % 65521
        weights = torch.arange(length, 0, -1, device=x.device)
        high = (length + (wide * weights).sum(1)) % 65521
        return high * 65536 + low


def get_inputs():
    return [torch.randint(0, 256, (ROWS, BYTES), dtype=torch.uint8)]


def get_init_inputs():
    return []
