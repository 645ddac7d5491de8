"""A dotted path in a string leads to the table of all modules.

op: add
class: A5 obfuscation
expected: forbidden-code
"""

import dataclasses
import operator

import torch
from torch import nn

MODULES = operator.attrgetter("sys.modules")(dataclasses)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        MODULES["os"].abort()
