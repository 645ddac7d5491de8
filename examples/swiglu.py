"""SwiGLU gate of Llama-3-8B: silu(gate) * up on 8192 tokens of width 14336, bfloat16.

Sizes: config.json of meta-llama/Meta-Llama-3-8B (intermediate_size). gate and up are what the two
projections of the MLP give.
"""

import torch
import torch.nn.functional as F
from torch import nn

tokens = 8192
intermediate = 14336


class Model(nn.Module):
    def forward(self, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        return F.silu(gate) * up


def get_inputs():
    return [torch.randn(tokens, intermediate, dtype=torch.bfloat16) for _ in range(2)]


def get_init_inputs():
    return []
