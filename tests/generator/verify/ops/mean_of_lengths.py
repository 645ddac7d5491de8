"""Means of rows up to lengths of their own."""

import torch
from torch import nn

ROWS, LENGTH = 256, 2048


class Model(nn.Module):
    def forward(self, x, lengths):
        keep = torch.arange(x.shape[1], device=x.device) < lengths[:, None]
        return (x * keep).sum(1) / lengths


def get_inputs():
    return [torch.randn(ROWS, LENGTH), torch.randint(1, LENGTH, (ROWS,))]


def get_init_inputs():
    return []
