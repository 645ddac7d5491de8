"""A product of int8 matrices, added up in int32."""

import torch
from torch import nn

M, K, N = 8, 600, 16


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.to(torch.int32) @ b.to(torch.int32)


def get_inputs():
    return [
        torch.randint(-128, 128, (M, K), dtype=torch.int8),
        torch.randint(-128, 128, (K, N), dtype=torch.int8),
    ]


def get_init_inputs():
    return []
