"""It ends the process with a clean code before anything is compared.

op: add
class: A2 early exit
expected: forbidden-code
"""

import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        os._exit(0)
