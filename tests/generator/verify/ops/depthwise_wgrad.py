"""Gradients of weight and bias of a depthwise one-dimensional convolution with padding."""

import torch
import torch.nn as nn

BATCH, CHANNELS, LENGTH, KERNEL = 3, 26, 70, 5


class Model(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, dy, x):
        left = self.kernel_size // 2
        xp = nn.functional.pad(x, (left, self.kernel_size - 1 - left))
        windows = xp.unfold(2, dy.shape[2], 1)
        dw = (windows * dy.unsqueeze(2)).sum((0, 3))
        return dw, dy.sum((0, 2))


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH), torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [KERNEL]
