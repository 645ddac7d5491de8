"""The operator library is called below torch's surface.

op: softmax
class: B20 torch does the work
expected: forbidden-code
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten._softmax.default(x, -1, False)
