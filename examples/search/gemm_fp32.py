"""A square product of single-precision matrices, as KernelBench's first task has it, at half its side."""

import torch
from torch import nn

side = 2048


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(side, side), torch.randn(side, side)]


def get_init_inputs() -> list[int]:
    return []
