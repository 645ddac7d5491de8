"""Constituents through a layer in half precision, weighed by charge, summed over each jet."""

import torch
import torch.nn as nn

JETS = 256
PARTS = 64
FEATURES = 32
HIDDEN = 80


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.dense = nn.Linear(features, hidden).half()

    def forward(self, x, charge, valid):
        h = torch.relu(self.dense(x)) * charge[:, :, None]
        h = torch.where(valid[:, :, None], h, torch.zeros_like(h))
        return h.sum(1), valid.sum(1)


def get_inputs():
    return [
        torch.randn(JETS, PARTS, FEATURES).half(),
        torch.randn(JETS, PARTS).half(),
        torch.rand(JETS, PARTS) < 0.7,
    ]


def get_init_inputs():
    return [FEATURES, HIDDEN]
