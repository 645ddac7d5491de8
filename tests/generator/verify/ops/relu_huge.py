"""ReLU of more elements than a 32-bit number counts."""

import torch
from torch import nn

ROWS, COLUMNS = 70_000, 40_000


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
