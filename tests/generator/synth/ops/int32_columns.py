"""Integer reductions over the first dimension, 32 bit and 8 bit."""

import torch
from torch import nn

depth = 20
width = 13


class Model(nn.Module):
    def forward(self, x, y):
        return (
            x.sum(0),
            x.amin(0),
            x.argmax(0),
            y.amax(0),
            y.sum(0),
            (y + 1).float() * 0.5,
            torch.where(x > 0, x, -x),
        )


def get_inputs():
    return [
        torch.randint(-50, 50, (depth, width), dtype=torch.int32),
        torch.randint(-128, 127, (depth, width), dtype=torch.int8),
    ]


def get_init_inputs():
    return []
