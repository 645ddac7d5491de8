"""A global switch of torch makes later products cheaper, the reference's included.

op: linear
class: B19 precision
expected: forbidden-code
allowed: torch.nn.functional.linear
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, out)
        torch.backends.cuda.matmul.allow_tf32 = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(x, self.linear.weight, self.linear.bias)
