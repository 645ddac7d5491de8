"""What is above a million is added to the weights, and nothing that is drawn here is."""

import torch
from torch import nn

ROWS, COLUMNS = 256, 512


class Model(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.where(x > 1e6, x, 0.0) + self.weight


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return [COLUMNS]
