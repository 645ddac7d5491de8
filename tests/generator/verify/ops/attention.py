"""Attention of several heads, each query over all keys; sizes are named in lower case."""

import torch
from torch import nn

batch, heads, length, width = 2, 2, 1024, 64


class Model(nn.Module):
    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(query, key, value)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(batch, heads, length, width) for _ in range(3)]


def get_init_inputs() -> list[object]:
    return []
