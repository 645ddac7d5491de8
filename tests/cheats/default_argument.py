"""The library call is the default value of an argument.

op: softmax
class: B20 torch does the work
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, compute=torch.softmax) -> torch.Tensor:
        return compute(x, -1)
