"""Columns times a scale that is a buffer, ones until something is loaded into it."""

import torch
from torch import nn

ROWS, COLS = 4096, 512


class Model(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.ones(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) * self.scale


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLS)]


def get_init_inputs() -> list[object]:
    return [COLS]
