"""Residual add followed by RMSNorm, returning both: the seam between two layers of Llama-3-8B.

The sum goes on as the next residual, the normed sum into the next block; inference engines fuse the two.
Sizes: config.json of meta-llama/Meta-Llama-3-8B (hidden_size 4096), 8192 tokens, bfloat16.
"""

import torch
from torch import nn

tokens = 8192
hidden = 4096
eps = 1e-5


class Model(nn.Module):
    def __init__(self, hidden: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden, dtype=torch.bfloat16))
        self.eps = eps

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        residual = x + residual
        wide = residual.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * normed.to(x.dtype), residual


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(tokens, hidden, dtype=torch.bfloat16) for _ in range(2)]


def get_init_inputs() -> list[int | float]:
    return [hidden, eps]
