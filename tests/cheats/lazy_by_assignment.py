"""A hook of torch is set in a class body by assignment instead of by definition.

op: add
class: B1 lazy tensor
expected: forbidden-code
"""

import torch
from torch import nn


def compute(kind, function, types, args=(), kwargs=None):
    return function(*(one.value for one in args))


class Lazy:
    __torch_function__ = classmethod(compute)

    def __init__(self, value: torch.Tensor) -> None:
        self.value = value


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return Lazy(a + b)
