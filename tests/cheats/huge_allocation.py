"""It asks for 400 GB.

op: add
class: A1 memory
expected: raises
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.empty(100_000_000_000)
