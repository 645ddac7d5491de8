"""Windows over what is joined: padding of the window is no part, and what surrounds a part is no padding."""

import torch
from torch import nn

batch = 2
few = 3
more = 5
height = 7
width = 10


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)

    def forward(self, x, y):
        joined = self.pool(torch.cat((x, y), dim=1))
        return joined, self.pool(nn.functional.pad(x, (0, 0, 0, 0, 1, 2), value=-1.0))


def get_inputs():
    return [torch.randn(batch, few, height, width) - 3, torch.randn(batch, more, height, width) - 3]


def get_init_inputs():
    return []
