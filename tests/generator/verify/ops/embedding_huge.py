"""Rows of a table of more elements than a 32-bit number counts, by int32 index."""

import torch
from torch import nn
from torch.nn import functional

VOCABULARY, WIDTH, COUNT = 9_000_000, 250, 100


class Model(nn.Module):
    def forward(self, table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return functional.embedding(index, table)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(VOCABULARY, WIDTH), torch.randint(0, VOCABULARY, (COUNT,), dtype=torch.int32)]


def get_init_inputs() -> list[object]:
    return []
