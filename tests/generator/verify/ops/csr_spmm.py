"""Sparse (CSR) times dense matrix product."""

import torch
from torch import nn

ROWS = 8192
COLS = 6000
NNZ = 131072
DIM = 64


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, crow, col, val, dense):
        rows = crow.shape[0] - 1
        r = torch.repeat_interleave(
            torch.arange(rows, device=crow.device), crow[1:] - crow[:-1], output_size=col.shape[0]
        )
        out = torch.zeros(rows, dense.shape[1], dtype=dense.dtype, device=dense.device)
        return out.index_add(0, r, val[:, None] * dense[col])


def get_inputs():
    base = torch.arange(ROWS + 1) * NNZ // ROWS
    col = torch.randint(0, COLS, (NNZ,))
    return [base, col, torch.randn(NNZ), torch.randn(COLS, DIM)]


def get_init_inputs():
    return []
