"""The same through a module that happens to import sys.

op: add
expected: forbidden-code
"""

import torch
import triton
import triton.language as tl
from torch import nn
import dataclasses


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        dataclasses.sys.modules["os"]._exit(0)
