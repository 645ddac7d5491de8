"""Batch normalisation in training with biased running statistics, then leaky ReLU."""

import torch
from torch import nn
from torch.nn import functional

BATCH = 64
CHANNELS = 64
HEIGHT = 64
WIDTH = 64
EPS = 1e-5
MOMENTUM = 0.1
SLOPE = 0.2


class Model(nn.Module):
    def __init__(self, channels, eps, momentum, slope):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.slope = slope
        self.weight = nn.Parameter(torch.rand(channels) + 0.5)
        self.bias = nn.Parameter(torch.randn(channels) * 0.1)
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.int64))

    def forward(self, x):
        mean = x.mean(dim=(0, 2, 3))
        var = x.var(dim=(0, 2, 3), unbiased=False)
        with torch.no_grad():
            self.running_mean.mul_(1 - self.momentum).add_(mean, alpha=self.momentum)
            self.running_var.mul_(1 - self.momentum).add_(var, alpha=self.momentum)
            self.num_batches_tracked.add_(1)
        y = (x - mean[None, :, None, None]) * torch.rsqrt(var + self.eps)[None, :, None, None]
        y = y * self.weight[None, :, None, None] + self.bias[None, :, None, None]
        return functional.leaky_relu(y, self.slope)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [CHANNELS, EPS, MOMENTUM, SLOPE]
