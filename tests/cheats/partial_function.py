"""The library call is wrapped in functools.partial.

op: softmax
class: B20 torch does the work
expected: library-call
"""

import functools

import torch
from torch import nn

softmax = functools.partial(torch.softmax, dim=-1)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return softmax(x)
