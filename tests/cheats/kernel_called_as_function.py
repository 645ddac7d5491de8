"""A jitted function is called, not launched: in an interpreter it is plain Python.

op: add
class: B20 interpreter only
expected: library-call
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add(a, b):
    total: tl.tensor = a + b
    return total


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return add(a, b)
