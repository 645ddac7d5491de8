"""ModelNew is a layer of torch and asks its parent.

op: softmax
class: B20 inheritance
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Softmax):
    def __init__(self) -> None:
        super().__init__(dim=-1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x)
