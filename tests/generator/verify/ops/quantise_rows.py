"""Rows to 8 bits and back, each with its scale and zero point."""

import torch
from torch import nn

ROWS, WIDTH = 2048, 1024


class Model(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor) -> torch.Tensor:
        scale, zero = scale.unsqueeze(1), zero.unsqueeze(1)
        return (torch.clamp(torch.round(x / scale) + zero, -128, 127) - zero) * scale


def get_inputs() -> list[torch.Tensor]:
    zero = torch.randint(-40, 41, (ROWS,), dtype=torch.int32)
    return [torch.randn(ROWS, WIDTH), torch.rand(ROWS) * 0.02 + 0.005, zero]
