"""Votes of the five rows nearest by Hamming distance, earlier ones first, and how far the last is."""

import torch
import torch.nn as nn

QUERIES = 256
TRAIN = 1024
FEATS = 24
CLASSES = 20


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, x, train, label):
        distance = (x[:, None, :] != train[None, :, :]).sum(-1)
        near, row = torch.sort(distance, dim=1, stable=True)
        near = near[:, :5]
        name = label[row[:, :5]]
        votes = (name[:, :, None] == torch.arange(self.classes, device=x.device)).sum(1)
        return torch.argmax(votes, dim=1), near[:, -1]


def get_inputs():
    return [
        torch.randint(0, 8, (QUERIES, FEATS), dtype=torch.int32),
        torch.randint(0, 8, (TRAIN, FEATS), dtype=torch.int32),
        torch.randint(0, CLASSES, (TRAIN,)),
    ]


def get_init_inputs():
    return [CLASSES]
