"""Blocks that compute alike with weights of their own, as a network stacks them."""

import torch
from torch import nn

batch = 3
width = 12


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        y = self.norm(torch.relu(self.up(x)))
        return x + y


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(4))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def get_inputs():
    return [torch.randn(batch, width)]


def get_init_inputs():
    return [width]
