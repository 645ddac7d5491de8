"""A softmax of scores times a temperature that each head learns."""

import torch
from torch import nn

BATCH, HEADS, ROWS, COLS = 5, 4, 10, 50


class Model(nn.Module):
    def __init__(self, heads: int) -> None:
        super().__init__()
        self.temperature = nn.Parameter(torch.ones(heads, 1, 1))

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        return torch.softmax(scores * self.temperature, dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, ROWS, COLS)]


def get_init_inputs() -> list[int]:
    return [HEADS]
