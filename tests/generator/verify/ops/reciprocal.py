"""One over each value."""

import torch
from torch import nn

ROWS, COLUMNS = 12, 200


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 1.0 / x


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
