"""A bank of filters: three taps on the input, then two one-pole sections, per channel."""

import torch
import torch.nn as nn

BATCH = 4
SAMPLES = 384
CHANNELS = 256
REACH = 0.9


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.taps = nn.Parameter(torch.linspace(-1.0, 1.0, 3 * channels).reshape(channels, 3))
        self.pole_a = nn.Parameter(torch.linspace(-2.0, 0.5, channels))
        self.pole_b = nn.Parameter(torch.linspace(0.5, -2.0, channels))

    def forward(self, x):
        a = REACH * torch.sigmoid(self.pole_a)
        b = REACH * torch.sigmoid(self.pole_b)
        before = torch.zeros_like(x[:, 0])
        older = before
        s = before
        y = before
        outs = []
        for t in range(x.shape[1]):
            now = x[:, t]
            fir = self.taps[:, 0] * now + self.taps[:, 1] * before + self.taps[:, 2] * older
            s = a * s + fir
            y = b * y + s
            outs.append(y)
            older, before = before, now
        return torch.stack(outs, dim=1)


def get_inputs():
    return [torch.randn(BATCH, SAMPLES, CHANNELS)]


def get_init_inputs():
    return [CHANNELS]
