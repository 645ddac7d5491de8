"""Times a weight of eight 4-bit numbers to a word, with a scale for each row."""

import torch
from torch import nn

TOKENS, ROWS, WORDS = 8, 4, 512


class Model(nn.Module):
    def __init__(self, rows, words):
        super().__init__()
        self.register_buffer("qweight", torch.randint(0, 2**31 - 1, (rows, words), dtype=torch.int32))
        self.register_buffer("scales", torch.rand(rows) * 0.1 + 0.01)

    def forward(self, x):
        shifts = torch.arange(0, 32, 4, device=x.device)
        w = ((self.qweight[:, :, None] >> shifts) & 15).float() - 8
        return x @ (w.reshape(self.qweight.shape[0], -1) * self.scales[:, None]).t()


def get_inputs():
    return [torch.randn(TOKENS, WORDS * 8)]


def get_init_inputs():
    return [ROWS, WORDS]
