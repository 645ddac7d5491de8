"""How many decimal digits each count is printed with."""

import torch
from torch import nn

COUNTS = 9000


class Model(nn.Module):
    def forward(self, x):
        left = x.to(torch.int64).abs()
        digits = torch.ones_like(left)
        for _ in range(9):
            left = left // 10
            digits = digits + (left > 0).to(torch.int64)
        return digits


def get_inputs():
    return [torch.randint(0, 1000000, (COUNTS,), dtype=torch.int32)]


def get_init_inputs():
    return []
