"""3x3 average pooling of stride two with padding one, rounding sizes up and not counting the padding."""

import torch
import torch.nn as nn

BATCH = 16
CHANNELS = 128
HEIGHT = 113
WIDTH = 201


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return []
