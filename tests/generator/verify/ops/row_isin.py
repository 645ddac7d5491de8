"""Which items of a row are among the row's history."""

import torch
from torch import nn

ROWS, ITEMS, HISTORY = 24, 60, 40


class Model(nn.Module):
    def forward(self, items: torch.Tensor, history: torch.Tensor) -> torch.Tensor:
        return (items[:, :, None] == history[:, None, :]).any(dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, 200, (ROWS, ITEMS)), torch.randint(0, 200, (ROWS, HISTORY))]


def get_init_inputs() -> list[object]:
    return []
