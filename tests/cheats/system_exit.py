"""It raises SystemExit, which stops programs that only catch Exception.

op: add
class: A2 early exit
expected: raises
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        raise SystemExit(0)
