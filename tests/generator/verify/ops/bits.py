"""Shifts, exclusive or and wrapping products of int32."""

import torch
from torch import nn

ROWS, COLUMNS = 24, 250


class Model(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x ^ (x >> 3)) * 5 + y


def get_inputs() -> list[torch.Tensor]:
    return [
        torch.randint(-(2**31), 2**31, (ROWS, COLUMNS), dtype=torch.int32),
        torch.randint(-(2**31), 2**31, (ROWS, COLUMNS), dtype=torch.int32),
    ]


def get_init_inputs() -> list[object]:
    return []
