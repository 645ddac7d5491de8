"""Logsumexp over the middle one of three dimensions."""

import torch
from torch import nn

IMAGES, CLASSES, PIXELS = 64, 151, 16384


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.logsumexp(x, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(IMAGES, CLASSES, PIXELS)]


def get_init_inputs() -> list[object]:
    return []
