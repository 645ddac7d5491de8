"""Where one tensor exceeds another and a mask agrees: booleans."""

import torch
from torch import nn

ROWS, COLUMNS = 128, 200


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return (a > b) & mask


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS), torch.randn(ROWS, COLUMNS), torch.rand(ROWS, COLUMNS) < 0.7]


def get_init_inputs() -> list[object]:
    return []
