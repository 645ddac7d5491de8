"""Whether two replicas agree in every place of a row."""

import torch
from torch import nn

ROWS = 32
WIDTH = 300


class Model(nn.Module):
    def forward(self, a, b):
        return ((a - b).abs() <= 1e-3).all(dim=1)


def get_inputs():
    a = torch.randn(ROWS, WIDTH)
    far = torch.rand(ROWS, WIDTH) < 0.7 / WIDTH
    return [a, a + torch.where(far, torch.ones(()), 1e-4 * torch.randn(ROWS, WIDTH))]


def get_init_inputs():
    return []
