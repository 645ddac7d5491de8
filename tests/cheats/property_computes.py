"""A property does the work when it is looked at.

op: softmax
class: B20 torch does the work
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    @property
    def result(self) -> torch.Tensor:
        return self.held.exp() / self.held.exp().sum(-1, keepdim=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.held = x
        return self.result
