"""The forward of a layer is called as a plain function.

op: linear
class: B20 inheritance
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.Linear.forward(self.linear, x)
