"""Rows of a table by int64 index."""

import torch
from torch import nn

BATCH, LENGTH, VOCABULARY, WIDTH = 6, 25, 60, 40


class Model(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)

    def forward(self, index: torch.Tensor) -> torch.Tensor:
        return self.table(index)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, VOCABULARY, (BATCH, LENGTH))]


def get_init_inputs() -> list[object]:
    return [VOCABULARY, WIDTH]
