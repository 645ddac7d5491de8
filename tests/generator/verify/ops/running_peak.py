"""Values over a running peak of each column, which is learnt while training alone."""

import torch
from torch import nn

ROWS, COLS = 40, 56


class Model(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.register_buffer("peak", torch.ones(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.peak.mul_(0.9).add_(0.1 * x.abs().amax(dim=0))
        return x / self.peak


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLS)]


def get_init_inputs() -> list[object]:
    return [COLS]
