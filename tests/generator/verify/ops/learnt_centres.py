"""Squared distances of rows to centres that are learnt."""

import torch
from torch import nn

ROWS, CENTRES, DIM = 60, 40, 8


class Model(nn.Module):
    def __init__(self, centres: int, dim: int) -> None:
        super().__init__()
        self.centres = nn.Parameter(torch.randn(centres, dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x[:, None, :] - self.centres[None]).square().sum(-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, DIM)]


def get_init_inputs() -> list[int]:
    return [CENTRES, DIM]
