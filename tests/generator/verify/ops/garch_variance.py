"""Conditional variance of a GARCH(1,1) model with parameters of each asset's own."""

import torch
import torch.nn as nn

DRAWS, ASSETS, STEPS = 3, 13, 90


class Model(nn.Module):
    def __init__(self, assets):
        super().__init__()
        self.omega = nn.Parameter(torch.full((assets,), 0.05))
        self.alpha = nn.Parameter(torch.full((assets,), 0.1))
        self.beta = nn.Parameter(torch.full((assets,), 0.85))

    def forward(self, returns):
        h = self.omega.expand(returns.shape[0], -1)
        out = [h]
        for t in range(1, returns.shape[2]):
            r = returns[:, :, t - 1]
            h = self.omega + self.alpha * r * r + self.beta * h
            out.append(h)
        return torch.stack(out, dim=2)


def get_inputs():
    return [torch.randn(DRAWS, ASSETS, STEPS)]


def get_init_inputs():
    return [ASSETS]
