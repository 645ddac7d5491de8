"""A product scaled and added to a matrix."""

import torch
from torch import nn

M, N, K = 1024, 1024, 1024


class Model(nn.Module):
    def forward(self, c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.addmm(c, a, b, beta=0.5, alpha=2.0)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M, N), torch.randn(M, K), torch.randn(K, N)]
