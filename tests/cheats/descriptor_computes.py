"""A descriptor does the work through operators alone.

op: add
class: B20 torch does the work
expected: library-call
"""

import torch
from torch import nn


class Total:
    def __get__(self, owner: nn.Module, kind: type) -> torch.Tensor:
        return owner.a + owner.b


class ModelNew(nn.Module):
    total = Total()

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        self.a, self.b = a, b
        return self.total
