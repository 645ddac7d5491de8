"""GEGLU gate of Gemma-7B: gelu(gate) * up on 4096 tokens of width 24576, bfloat16.

Gemma takes the tanh form of GELU. Sizes: config.json of google/gemma-7b (intermediate_size,
hidden_activation "gelu_pytorch_tanh").
"""

import torch
from torch import nn

tokens = 4096
intermediate = 24576


class Model(nn.Module):
    def forward(self, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        return nn.functional.gelu(gate, approximate="tanh") * up


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(tokens, intermediate, dtype=torch.bfloat16) for _ in range(2)]


def get_init_inputs() -> list[int]:
    return []
