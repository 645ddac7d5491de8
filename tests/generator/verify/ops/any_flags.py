"""Whether any flag of a row is set."""

import torch
from torch import nn

ROWS, COLS = 2048, 16384


class Model(nn.Module):
    def forward(self, flags: torch.Tensor) -> torch.Tensor:
        return flags.any(dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(ROWS, COLS) < 1 / COLS]


def get_init_inputs() -> list[object]:
    return []
