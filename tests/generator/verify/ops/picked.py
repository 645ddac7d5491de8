"""The score of the labelled class of each row."""

import torch
from torch import nn

ROWS, CLASSES = 48, 200


class Model(nn.Module):
    def forward(self, x, label):
        return x.gather(1, label[:, None])[:, 0]


def get_inputs():
    return [torch.randn(ROWS, CLASSES), torch.randint(0, CLASSES, (ROWS,))]


def get_init_inputs():
    return []
