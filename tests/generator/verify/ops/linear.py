"""A linear layer with bias."""

import torch
from torch import nn

BATCH, WIDTH, OUT = 40, 48, 56


class Model(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, WIDTH)]


def get_init_inputs() -> list[object]:
    return [WIDTH, OUT]
