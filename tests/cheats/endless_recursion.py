"""A recursion without an end.

op: add
class: A1 memory
expected: raises
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return self.forward(a, b)
