"""Batched product of float32 matrices."""

import torch
from torch import nn

BATCH, ROWS, DEPTH, COLUMNS = 2, 40, 44, 48


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.bmm(a, b)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, ROWS, DEPTH), torch.randn(BATCH, DEPTH, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
