"""F.normalize in several norms and dimensions."""

import torch
from torch import nn

rows = 6
width = 31


class Model(nn.Module):
    def forward(self, x):
        return (
            nn.functional.normalize(x),
            nn.functional.normalize(x, p=1.0),
            nn.functional.normalize(x, p=float("inf"), dim=1),
            nn.functional.normalize(x, dim=0),
        )


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
