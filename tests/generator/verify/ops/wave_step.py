"""One leapfrog step of the wave equation in three dimensions, with a speed for each cell."""

import torch
from torch import nn

depth, height, width = 96, 128, 160


class Model(nn.Module):
    def forward(self, u: torch.Tensor, before: torch.Tensor, speed: torch.Tensor) -> torch.Tensor:
        p = nn.functional.pad(u, (1, 1, 1, 1, 1, 1))
        lap = (
            p[2:, 1:-1, 1:-1]
            + p[:-2, 1:-1, 1:-1]
            + p[1:-1, 2:, 1:-1]
            + p[1:-1, :-2, 1:-1]
            + p[1:-1, 1:-1, 2:]
            + p[1:-1, 1:-1, :-2]
            - 6.0 * u
        )
        return 2.0 * u - before + speed * speed * lap


def get_inputs():
    fields = [torch.randn(depth, height, width) for _ in range(2)]
    return [*fields, 0.5 * torch.rand(depth, height, width)]


def get_init_inputs():
    return []
