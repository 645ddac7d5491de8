"""Which values lie between two limits, and how many of a row do: truths and counts."""

import torch
from torch import nn

ROWS, COLUMNS = 4096, 2048


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inside = (x >= -1.0) & (x <= 0.5)
        return inside, inside.sum(dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
