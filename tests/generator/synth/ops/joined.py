"""cat and stack of equal and unequal parts, unbind, split, expand, repeat."""

import torch
from torch import nn

rows = 4
width = 6


class Model(nn.Module):
    def forward(self, x):
        a, b, c = x.unbind(1)
        left, right = torch.split(a * 2.0, [2, 4], dim=-1)
        return (
            torch.cat((a, b.relu()), dim=0),
            torch.stack((a, b, -c), dim=1),
            torch.cat((left, right, left), dim=-1),
            (a[:, None, :].expand(-1, 5, -1) + 1.0),
            b.repeat(2, 3) * 2.0,
            right.exp().contiguous(),
        )


def get_inputs():
    return [torch.randn(rows, 3, width)]


def get_init_inputs():
    return []
