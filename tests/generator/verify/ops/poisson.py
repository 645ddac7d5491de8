"""Poisson loss of counts with Stirling's term."""

import torch
from torch import nn

ROWS, WIDTH = 2048, 512


class Model(nn.Module):
    def forward(self, rate: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return nn.functional.poisson_nll_loss(rate, target, log_input=True, full=True)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH), torch.poisson(torch.full((ROWS, WIDTH), 3.0))]
