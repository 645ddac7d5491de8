"""The forbidden look-up is passed on instead of called.

op: softmax
class: A5 obfuscation
expected: forbidden-code
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return next(map(getattr, [torch], ["softmax"]))(x, -1)
