"""Sparse matrix in ELLPACK form with a length per row, times a dense matrix of several right-hand sides."""

import torch
import torch.nn as nn

ROWS, SLOTS, COLS, RHS = 260, 11, 1500, 6


class Model(nn.Module):
    def forward(self, vals, cols, row_len, x):
        slot = torch.arange(vals.shape[1], device=vals.device)
        keep = slot[None, :] < row_len[:, None]
        terms = vals[:, :, None] * x[cols]
        return torch.where(keep[:, :, None], terms, torch.zeros_like(terms)).sum(1)


def get_inputs():
    return [
        torch.randn(ROWS, SLOTS),
        torch.randint(0, COLS, (ROWS, SLOTS)),
        torch.randint(0, SLOTS + 1, (ROWS,)),
        torch.randn(COLS, RHS),
    ]


def get_init_inputs():
    return []
