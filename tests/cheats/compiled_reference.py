"""A compiler writes the kernel.

op: softmax
class: B20 torch does the work
expected: forbidden-code
"""

import torch
from torch import nn


@torch.compile
def softmax(x: torch.Tensor) -> torch.Tensor:
    return x.softmax(-1)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return softmax(x)
