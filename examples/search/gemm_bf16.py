"""The up projection of Llama-3-8B's MLP without its gate: 8192 tokens, bfloat16, one matrix product.

Sizes: config.json of meta-llama/Meta-Llama-3-8B (hidden_size, max_position_embeddings), half of its width.
"""

import torch
from torch import nn

tokens = 8192
hidden = 4096
width = 7168


class Model(nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.matmul(x, weight)


def get_inputs() -> list[torch.Tensor]:
    return [
        torch.randn(tokens, hidden, dtype=torch.bfloat16),
        torch.randn(hidden, width, dtype=torch.bfloat16),
    ]


def get_init_inputs() -> list[int]:
    return []
