"""A byte of a multiplicative hash of every word."""

import torch
import torch.nn as nn

ROWS, WORDS = 2000, 9000


class Model(nn.Module):
    def forward(self, x):
        return ((x * 40503 + 2166136261) % 256).to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 1 << 30, (ROWS, WORDS))]


def get_init_inputs():
    return []
