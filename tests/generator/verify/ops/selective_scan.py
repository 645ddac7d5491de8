"""Selective scan with softplus steps and a skip."""

import torch
from torch import nn

batch = 2
steps = 64
channels = 96
states = 16


class Model(nn.Module):
    def __init__(self, channels: int, states: int) -> None:
        super().__init__()
        self.a_log = nn.Parameter(torch.log(torch.arange(1, states + 1).float()).repeat(channels, 1))
        self.skip = nn.Parameter(torch.ones(channels))
        self.dt_bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: torch.Tensor, dt: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        delta = nn.functional.softplus(dt + self.dt_bias)
        a = -torch.exp(self.a_log)
        h = x.new_zeros(x.shape[0], x.shape[2], a.shape[1])
        out = []
        for i in range(x.shape[1]):
            step = delta[:, i, :, None]
            h = torch.exp(step * a) * h + step * x[:, i, :, None] * b[:, i, None, :]
            out.append((h * c[:, i, None, :]).sum(-1) + self.skip * x[:, i])
        return torch.stack(out, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [
        torch.randn(batch, steps, channels),
        torch.randn(batch, steps, channels) - 2.0,
        torch.randn(batch, steps, states),
        torch.randn(batch, steps, states),
    ]


def get_init_inputs() -> list[int]:
    return [channels, states]
