"""The mean square of bfloat16 rows, in float32 as torch widens them."""

import torch
from torch import nn

ROWS, COLS = 8192, 64


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.float().square().mean()


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLS).bfloat16()]


def get_init_inputs() -> list[object]:
    return []
