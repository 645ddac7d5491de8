"""A 3x3 convolution with padding and bias, then hardswish."""

import torch
from torch import nn

BATCH = 8
CIN = 32
COUT = 64
HEIGHT = 64
WIDTH = 64
KSIZE = 3


class Model(nn.Module):
    def __init__(self, cin, cout, ksize):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, ksize, padding=ksize // 2)

    def forward(self, x):
        return nn.functional.hardswish(self.conv(x))


def get_inputs():
    return [torch.randn(BATCH, CIN, HEIGHT, WIDTH)]


def get_init_inputs():
    return [CIN, COUT, KSIZE]
