"""A row-wise Adagrad step of a table, gradients of one row summed first; other rows stay as they are."""

import torch
from torch import nn

ROWS = 100000
DIM = 64
TOUCHED = 8192
LR = 0.05
EPS = 1e-8


class Model(nn.Module):
    def __init__(self, lr, eps):
        super().__init__()
        self.lr = lr
        self.eps = eps

    def forward(self, table, state, ids, grads):
        g = torch.zeros_like(table).index_add(0, ids, grads)
        new_state = state + (g * g).mean(dim=1)
        step = self.lr / (new_state.sqrt() + self.eps)
        touched = torch.zeros_like(state).index_fill(0, ids, 1.0) > 0
        return torch.where(touched[:, None], table - step[:, None] * g, table), new_state


def get_inputs():
    table = torch.randn(ROWS, DIM) * 0.1
    state = torch.rand(ROWS) + 0.1
    ids = torch.randint(0, ROWS, (TOUCHED,))
    return [table, state, ids, torch.randn(TOUCHED, DIM)]


def get_init_inputs():
    return [LR, EPS]
