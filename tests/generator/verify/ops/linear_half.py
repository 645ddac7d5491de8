"""A linear layer in half precision."""

import torch
from torch import nn

ROWS, WIDTH = 4096, 2048


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width, dtype=torch.float16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH, dtype=torch.float16)]


def get_init_inputs() -> list[object]:
    return [WIDTH]
