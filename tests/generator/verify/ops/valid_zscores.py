"""Distances of valid samples from the mean of their row's, in standard deviations."""

import torch
import torch.nn as nn

SENSORS = 70
SAMPLES = 310


class Model(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x, valid):
        n = valid.sum(dim=1, keepdim=True).clamp(min=1).to(x.dtype)
        mean = torch.where(valid, x, 0.0).sum(dim=1, keepdim=True) / n
        d = torch.where(valid, x - mean, 0.0)
        var = (d * d).sum(dim=1, keepdim=True) / n
        return d / torch.sqrt(var + self.eps)


def get_inputs():
    return [torch.randn(SENSORS, SAMPLES), torch.rand(SENSORS, SAMPLES) > 0.2]


def get_init_inputs():
    return [1e-3]
