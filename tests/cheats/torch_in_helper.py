"""Torch hides in a jitted helper: an interpreter would run it as plain Python.

op: softmax
class: B20 interpreter only
expected: forbidden-code
"""

import torch
import triton
from torch import nn


@triton.jit
def helper(x):
    return torch.softmax(x, dim=-1)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return helper(x)
