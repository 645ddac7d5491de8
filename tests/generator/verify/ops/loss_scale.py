"""Gradients come down by a scale that doubles behind two hundred good steps and halves behind a bad one."""

import torch
from torch import nn

ROWS, COLUMNS = 60, 150


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.full((), 1024.0))
        self.register_buffer("good", torch.zeros((), dtype=torch.int32))

    def forward(self, g):
        bad = (g.abs() > 60000.0).any()
        out = torch.where(bad, torch.zeros_like(g), g / self.scale)
        good = torch.where(bad, torch.zeros_like(self.good), self.good + 1)
        grow = good >= 200
        scale = torch.where(bad, self.scale * 0.5, torch.where(grow, self.scale * 2.0, self.scale))
        self.good.copy_(torch.where(grow, torch.zeros_like(good), good))
        self.scale.copy_(scale)
        return out


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
