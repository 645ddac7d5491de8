"""BatchNorm2d of a few channels in train mode: the running statistics move."""

import torch
from torch import nn

BATCH, CHANNELS, SIZE = 3, 5, 8


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.bn(x)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, SIZE, SIZE)]


def get_init_inputs() -> list[object]:
    return [CHANNELS]
