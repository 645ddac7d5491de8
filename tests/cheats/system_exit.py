"""It raises SystemExit, which stops programs that only catch Exception.

op: add
expected: raises
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        raise SystemExit(0)
