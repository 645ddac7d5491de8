"""SwiGLU gate of Llama-3-8B: silu(gate) * up on 8192 tokens of width 14336, bfloat16.

Sizes: config.json of meta-llama/Meta-Llama-3-8B (intermediate_size). gate and up are what the two
projections of the MLP give.
"""

import torch
from torch import nn

tokens = 8192
intermediate = 14336


class Model(nn.Module):
    def forward(self, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        return nn.functional.silu(gate) * up


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(tokens, intermediate, dtype=torch.bfloat16) for _ in range(2)]


def get_init_inputs() -> list[int]:
    return []
