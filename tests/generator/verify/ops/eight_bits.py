"""Casts to both 8-bit floats."""

import torch
from torch import nn

rows = 24
width = 70


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.to(torch.float8_e4m3fn), x.to(torch.float8_e5m2)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(rows, width)]


def get_init_inputs() -> list[object]:
    return []
