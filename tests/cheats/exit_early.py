"""It ends the process with a clean code before anything is compared.

op: add
expected: forbidden-code
"""

import torch
import triton
import triton.language as tl
from torch import nn
import os


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        os._exit(0)
