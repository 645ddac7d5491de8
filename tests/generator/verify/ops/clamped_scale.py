"""A tensor times a learned scale of at most 100."""

import torch
from torch import nn

ROWS, WIDTH = 4096, 1024


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.6592))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.log_scale.exp().clamp(max=100.0)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH)]
