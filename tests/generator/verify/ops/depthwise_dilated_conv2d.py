import torch
import torch.nn as nn

BATCH = 2
CHANNELS = 12
HEIGHT = 30
WIDTH = 40


class Model(nn.Module):
    """Depthwise 3x3 convolution, dilation 2, same padding."""

    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=2, dilation=2, groups=channels)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [CHANNELS]
