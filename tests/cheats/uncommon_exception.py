"""It raises what is no Exception.

op: add
class: A2 confused judge
expected: raises
"""

import torch
from torch import nn


class Stop(BaseException):
    def __str__(self) -> str:
        return "stopped"


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        raise Stop
