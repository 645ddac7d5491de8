"""Linear attention without a mask: features are elu(x) + 1."""

import torch
from torch import nn

BATCH, HEADS, TOKENS, HEAD_DIM = 2, 3, 512, 16


class Model(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        q, k = nn.functional.elu(q) + 1, nn.functional.elu(k) + 1
        return (q @ (k.transpose(-1, -2) @ v)) / (q @ k.sum(-2).unsqueeze(-1))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, TOKENS, HEAD_DIM) for _ in range(3)]
