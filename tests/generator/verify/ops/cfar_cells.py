"""Cell-averaging CFAR: a threshold from training cells beyond guard cells, and what passes it."""

import torch
import torch.nn as nn
from torch.nn import functional


class Model(nn.Module):
    def __init__(self, guard, train, scale):
        super().__init__()
        self.guard = guard
        self.train_cells = train
        self.scale = scale

    def forward(self, x):
        g, t = self.guard, self.train_cells
        n = x.shape[1]
        pad = functional.pad(x, (g + t, g + t))
        total = torch.zeros_like(x)
        for j in range(g + 1, g + t + 1):
            total = total + pad[:, g + t - j : g + t - j + n] + pad[:, g + t + j : g + t + j + n]
        level = self.scale * total
        return level / (2 * t), x * (2 * t) > level


PULSES, RANGES = 4, 130


def get_inputs():
    return [torch.randn(PULSES, RANGES).square()]


def get_init_inputs():
    return [2, 6, 2.5]
