"""The standard library's own imports hand out the builtins.

op: softmax
class: A5 forbidden machinery
expected: forbidden-code
"""

from dataclasses import builtins

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return builtins.exec("import torch; kept = torch.softmax") or x
