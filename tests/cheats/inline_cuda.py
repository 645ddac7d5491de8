"""A library is built and loaded at import.

op: softmax
class: A5 forbidden machinery
expected: forbidden-code
"""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

MODULE = load_inline("fast", cpp_sources="", functions=["softmax"])


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return MODULE.softmax(x)
