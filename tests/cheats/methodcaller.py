"""The method's name is a string in an object that calls it.

op: softmax
class: A5 obfuscation
expected: forbidden-code
"""

import operator

import torch
from torch import nn

softmax = operator.methodcaller("softmax", -1)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return softmax(x)
