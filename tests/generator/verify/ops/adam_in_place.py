"""One Adam step in place: weights, moments and the step are given."""

import torch
from torch import nn

ROWS, COLUMNS = 60, 150


class Model(nn.Module):
    def forward(self, p, g, m, v, step):
        t = (step + 1).float()
        m2 = m * 0.9 + g * 0.1
        v2 = v * 0.999 + g * g * 0.001
        mh = m2 / (1 - torch.pow(0.9, t))
        vh = v2 / (1 - torch.pow(0.999, t))
        p.sub_(0.001 * mh / (torch.sqrt(vh) + 1e-8))
        m.copy_(m2)
        v.copy_(v2)
        step.add_(1)
        return p


def get_inputs():
    return [
        torch.randn(ROWS, COLUMNS),
        torch.randn(ROWS, COLUMNS),
        torch.randn(ROWS, COLUMNS) * 0.1,
        torch.rand(ROWS, COLUMNS) * 0.1,
        torch.full((1,), 10, dtype=torch.int64),
    ]


def get_init_inputs():
    return []
