"""How many steps in a row each place has been rising."""

import torch
from torch import nn

ROWS = 32
WIDTH = 300


class Model(nn.Module):
    def forward(self, x):
        n = x.shape[1]
        i = torch.arange(n, device=x.device)
        up = torch.zeros(x.shape, dtype=torch.bool, device=x.device)
        up[:, 1:] = x[:, 1:] > x[:, :-1]
        last = torch.where(up, torch.zeros_like(i), i).cummax(1).values
        return i - last


def get_inputs():
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs():
    return []
