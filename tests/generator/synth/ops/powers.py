"""Powers, roots, exponentials."""

import torch
from torch import nn

rows = 6
width = 12


class Model(nn.Module):
    def forward(self, x):
        x = x.abs() + 0.1
        return (
            x**2,
            x**-3,
            x**0.5,
            2.0**x,
            x**2.5,
            x.reciprocal(),
            x.log1p(),
            x.expm1(),
            x.rsqrt(),
            x.log2(),
            x.exp2(),
            x.square(),
        )


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
