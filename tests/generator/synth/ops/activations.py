"""Every smooth or piecewise activation, summed, so that each is seen in one kernel."""

import torch
from torch import nn

rows = 6
width = 33


class Model(nn.Module):
    def forward(self, x):
        parts = [
            nn.functional.relu(x),
            nn.functional.relu6(x),
            nn.functional.leaky_relu(x, 0.2),
            nn.functional.elu(x, 1.3),
            nn.functional.selu(x),
            nn.functional.celu(x, 0.7),
            nn.functional.gelu(x),
        ]
        parts += [
            nn.functional.gelu(x, approximate="tanh"),
            nn.functional.silu(x),
            nn.functional.mish(x),
            nn.functional.softplus(x, 2.0, 15.0),
            nn.functional.softsign(x),
        ]
        parts += [
            nn.functional.tanhshrink(x),
            nn.functional.hardtanh(x, -0.5, 0.7),
            nn.functional.hardswish(x),
            nn.functional.hardsigmoid(x),
            nn.functional.hardshrink(x, 0.4),
        ]
        parts += [
            nn.functional.softshrink(x, 0.3),
            nn.functional.threshold(x, 0.1, -2.0),
            nn.functional.logsigmoid(x),
            torch.sigmoid(x),
            torch.tanh(x),
        ]
        return tuple(parts)


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
