"""A tensor subclass that would compute when it is looked at.

op: add
class: B1 lazy tensor
expected: forbidden-code
"""

import torch
from torch import nn


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return Lazy(a)
