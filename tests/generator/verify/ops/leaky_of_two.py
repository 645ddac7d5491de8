"""Leaky ReLU of a scaled sum, less its mean and squared if so told: numbers and truths come with the call."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 160


class Model(nn.Module):
    def forward(
        self, x: torch.Tensor, y: torch.Tensor, slope: float, scale: float, centre: bool, square: bool
    ) -> torch.Tensor:
        z = x + scale * y
        z = torch.where(z > 0, z, slope * z)
        if centre:
            z = z - z.mean(1, keepdim=True)
        return z * z if square else z


def get_inputs() -> list[torch.Tensor | float]:
    return [torch.randn(ROWS, COLUMNS), torch.randn(ROWS, COLUMNS), 0.1, 0.5, True, True]


def get_init_inputs() -> list[int]:
    return []
