"""Matrix products in the forms that torch has for them."""

import torch
from torch import nn

batch = 3
rows = 18
width = 20
cols = 34


class Model(nn.Module):
    def __init__(self, width, cols):
        super().__init__()
        self.proj = nn.Linear(width, cols)

    def forward(self, x, w, y, z):
        return (
            x @ w,
            nn.functional.gelu(self.proj(x * 2.0)) + 1.0,
            x @ x.t(),
            torch.bmm(y, z),
            torch.addmm(torch.sigmoid(x @ w), x, w, beta=0.5, alpha=2.0),
            torch.einsum("bik,bjk->bij", y, y),
            y @ w,
            x @ w[:, 0],
            torch.einsum("bik,kj->ijb", y, w),
        )


def get_inputs():
    return [
        torch.randn(rows, width),
        torch.randn(width, cols),
        torch.randn(batch, rows, width),
        torch.randn(batch, width, cols),
    ]


def get_init_inputs():
    return [width, cols]
