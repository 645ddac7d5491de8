"""Comparison and logic between tensors look like those between numbers.

op: mask
class: B20 torch does the work
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return (a > b) & mask
