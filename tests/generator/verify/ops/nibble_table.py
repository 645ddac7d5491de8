"""Four-bit codes unpacked from 32-bit words, looked up in a learned table and scaled by group."""

import torch
import torch.nn as nn

ROWS = 11
GROUPS = 6
WORDS = 3


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.linspace(-1.0, 1.0, 16))

    def forward(self, words, scales):
        r, g = scales.shape
        shifts = torch.arange(8, device=words.device, dtype=torch.int32) * 4
        codes = (words[:, :, None] >> shifts) & 15
        values = self.table[codes.long()].reshape(r, g, -1)
        return (values * scales[:, :, None]).reshape(r, -1)


def get_inputs():
    return [
        torch.randint(0, 2**31 - 1, (ROWS, GROUPS * WORDS), dtype=torch.int32),
        torch.rand(ROWS, GROUPS) + 0.1,
    ]


def get_init_inputs():
    return []
