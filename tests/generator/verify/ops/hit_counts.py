"""Counts the classes in every row of labels and adds them up in a running total of hits."""

import torch
import torch.nn as nn

ROWS = 17
LENGTH = 75
CLASSES = 19


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.register_buffer("total", torch.zeros(classes, dtype=torch.int64))

    def forward(self, labels):
        counts = nn.functional.one_hot(labels, self.classes).sum(1)
        self.total.add_(counts.sum(0))
        return counts, self.total.clone()


def get_inputs():
    return [torch.randint(0, CLASSES, (ROWS, LENGTH))]


def get_init_inputs():
    return [CLASSES]
