"""Largest int32 of each row."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 2000


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.amax(dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(-(2**31), 2**31, (ROWS, COLUMNS), dtype=torch.int32)]


def get_init_inputs() -> list[object]:
    return []
