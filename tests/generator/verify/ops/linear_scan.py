import torch
from torch import nn

BATCH = 2
STEPS = 512
DIM = 32


class Model(nn.Module):
    """First order recurrence h[t] = a[t] h[t-1] + b[t] (state space models, leaky integrators)."""

    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        h = torch.zeros_like(b[:, 0])
        out = []
        for t in range(a.shape[1]):
            h = a[:, t] * h + b[:, t]
            out.append(h)
        return torch.stack(out, dim=1)


def get_inputs():
    return [torch.rand(BATCH, STEPS, DIM) * 0.8, torch.randn(BATCH, STEPS, DIM)]


def get_init_inputs():
    return []
