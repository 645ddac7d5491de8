"""Where each of a few values is seen last in a row, or -1."""

import torch
from torch import nn

ROWS, LENGTH, CLASSES = 48, 200, 32


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, ids):
        at = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        empty = torch.full((ids.shape[0], self.classes), -1, dtype=torch.int64, device=ids.device)
        return empty.scatter_reduce(1, ids, at, "amax")


def get_inputs():
    return [torch.randint(0, CLASSES, (ROWS, LENGTH))]


def get_init_inputs():
    return [CLASSES]
