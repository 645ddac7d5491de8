"""RMSNorm of float16 rows, widened to float32 before anything is squared."""

import torch
from torch import nn

ROWS, WIDTH = 4096, 4096


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.float16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        exact = x.to(torch.float32)
        normed = exact * torch.rsqrt(exact.square().mean(-1, keepdim=True) + 1e-6)
        return self.weight * normed.to(x.dtype)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, WIDTH, dtype=torch.float16)]


def get_init_inputs() -> list[object]:
    return [WIDTH]
