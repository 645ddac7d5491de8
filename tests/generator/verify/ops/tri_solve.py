"""Many tiny unit lower triangular systems, one right side each."""

import torch
from torch import nn

BATCH = 110
SIZE = 7


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, low, rhs):
        sol = torch.linalg.solve_triangular(low, rhs.unsqueeze(-1), upper=False, unitriangular=True)
        return sol.squeeze(-1)


def get_inputs():
    return [torch.randn(BATCH, SIZE, SIZE) * 0.4, torch.randn(BATCH, SIZE)]


def get_init_inputs():
    return []
