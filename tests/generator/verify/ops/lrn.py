"""Local response normalisation over five channels (AlexNet)."""

import torch
from torch import nn

batch = 64
channels = 96
height = 55
width = 55


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LocalResponseNorm(5, alpha=1e-4, beta=0.75, k=2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
