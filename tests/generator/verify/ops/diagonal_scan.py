"""Diagonal state-space model: discretised, scanned along time, read out."""

import torch
from torch import nn

BATCH, STEPS, WIDTH, STATES = 2, 60, 12, 4


class Model(nn.Module):
    def __init__(self, width, states):
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.rand(width, states) + 0.5))
        self.skip = nn.Parameter(torch.randn(width))

    def forward(self, u, dt, b, c):
        dt = nn.functional.softplus(dt)
        a = -torch.exp(self.a_log)
        h = torch.zeros(u.shape[0], u.shape[2], a.shape[1], dtype=u.dtype, device=u.device)
        out = []
        for t in range(u.shape[1]):
            decay = torch.exp(dt[:, t, :, None] * a)
            h = decay * h + (dt[:, t] * u[:, t])[:, :, None] * b[:, t, None, :]
            out.append((h * c[:, t, None, :]).sum(-1) + u[:, t] * self.skip)
        return torch.stack(out, 1)


def get_inputs():
    return [
        torch.randn(BATCH, STEPS, WIDTH),
        torch.randn(BATCH, STEPS, WIDTH),
        torch.randn(BATCH, STEPS, STATES),
        torch.randn(BATCH, STEPS, STATES),
    ]


def get_init_inputs():
    return [WIDTH, STATES]
