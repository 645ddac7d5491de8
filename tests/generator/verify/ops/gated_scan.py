import torch
from torch import nn

BATCH = 4
STEPS = 128
CHANNELS = 64


class Model(nn.Module):
    """Gated linear recurrence h = a * h + x from an initial state; returns all states and the last."""

    def forward(self, a, x, h):
        out = []
        for t in range(x.shape[1]):
            h = a[:, t] * h + x[:, t]
            out.append(h)
        return torch.stack(out, dim=1), h


def get_inputs():
    return [
        torch.rand(BATCH, STEPS, CHANNELS) * 0.5 + 0.5,
        torch.randn(BATCH, STEPS, CHANNELS),
        torch.zeros(BATCH, CHANNELS),
    ]


def get_init_inputs():
    return []
