"""The first half of GPT-2's MLP, linear and GELU, over a batch of 8 sequences in half precision.

Sizes: config.json of openai-community/gpt2 (n_embd 768, n_positions 1024, four times as wide inside).
"""

import torch
from torch import nn

tokens = 8192
hidden = 768
width = 3072


class Model(nn.Module):
    def __init__(self, hidden: int, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(hidden, width, dtype=torch.float16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.gelu(self.linear(x))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(tokens, hidden, dtype=torch.float16)]


def get_init_inputs() -> list[int]:
    return [hidden, width]
