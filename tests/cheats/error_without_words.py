"""Its error raises when it is asked what it says.

op: add
class: A2 confused judge
expected: raises
"""

import torch
from torch import nn


class SilentError(Exception):
    def __str__(self) -> str:
        raise self


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        raise SilentError
