"""Layers in a list have no name that the text shows.

op: linear
class: B20 torch does the work
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _name, layer in self.named_children():
            x = layer(x)
        return x
