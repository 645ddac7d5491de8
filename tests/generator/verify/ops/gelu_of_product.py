"""GELU of a product of bfloat16 matrices."""

import torch
from torch import nn

ROWS, WIDTH, COLS = 4096, 256, 4096


class Model(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return nn.functional.gelu(x @ y)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH).bfloat16(), torch.randn(WIDTH, COLS).bfloat16()]


def get_init_inputs() -> list[object]:
    return []
