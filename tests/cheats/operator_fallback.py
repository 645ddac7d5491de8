"""Torch does the work through an operator, which no list of calls shows.

op: add
class: B20 torch does the work
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b
