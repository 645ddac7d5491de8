"""Lower triangles of square matrices packed row by row, and their diagonals beside them."""

import torch
import torch.nn as nn

BATCH = 7
SIZE = 45


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        n = x.shape[-1]
        rows, cols = torch.tril_indices(n, n, device=x.device)
        packed = x[:, rows, cols]
        diag = torch.diagonal(x, dim1=1, dim2=2).clone()
        return packed, diag


def get_inputs():
    return [torch.randn(BATCH, SIZE, SIZE)]


def get_init_inputs():
    return []
