"""It never comes back.

op: add
class: A1 time
expected: timeout
wall_s: 4
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        while True:
            pass
