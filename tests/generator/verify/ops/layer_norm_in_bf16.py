"""Layer norm of bfloat16 rows, with a weight and a bias of the same dtype."""

import torch
from torch import nn

ROWS, WIDTH = 50, 200


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH).bfloat16()]


def get_init_inputs() -> list[object]:
    return [WIDTH]
