"""Pooling over windows that overlap, are dilated or padded."""

import torch
from torch import nn

batch = 2
channels = 3
side = 9


class Model(nn.Module):
    def forward(self, x, y, z):
        return (
            nn.functional.max_pool2d(x, 3, stride=2, padding=1),
            nn.functional.max_pool2d(x, (2, 3), stride=1, dilation=2) * 2.0,
            nn.functional.avg_pool2d(torch.relu(x), 3, stride=2, padding=1),
            nn.functional.max_pool1d(y, 5, stride=2),
            nn.functional.max_pool2d(-x, 4, stride=3, ceil_mode=True),
            nn.functional.avg_pool3d(z, 2),
            nn.functional.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
            nn.functional.avg_pool2d(x, (2, 3), stride=(2, 3), ceil_mode=True),
            nn.functional.avg_pool1d(y, 4, stride=3, padding=1, ceil_mode=True, count_include_pad=False),
            nn.functional.avg_pool2d(x, 5, stride=3),
            nn.functional.max_pool3d(z, 3, stride=2, padding=1, dilation=2),
        )


def get_inputs():
    return [
        torch.randn(batch, channels, side, side),
        torch.randn(batch, channels, side),
        torch.randn(batch, channels, side, side, side),
    ]


def get_init_inputs():
    return []
