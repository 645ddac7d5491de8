"""RMSNorm of Llama-3-8B: hidden size 4096, one sequence of 8192 tokens, bfloat16.

The statistics are taken in float32 and the result is cast back, as in Meta's reference code.
Sizes: config.json of meta-llama/Meta-Llama-3-8B (hidden_size, rms_norm_eps, max_position_embeddings).
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

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * normed.to(x.dtype)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(tokens, hidden, dtype=torch.bfloat16)]


def get_init_inputs() -> list[int | float]:
    return [hidden, eps]
