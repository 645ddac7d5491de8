"""Twice a float16 tensor plus another one."""

import torch
from torch import nn

ROWS, COLUMNS = 24, 300


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return 2 * a + b


def get_inputs() -> list[torch.Tensor]:
    return [
        torch.randn(ROWS, COLUMNS, dtype=torch.float16),
        torch.randn(ROWS, COLUMNS, dtype=torch.float16),
    ]


def get_init_inputs() -> list[object]:
    return []
