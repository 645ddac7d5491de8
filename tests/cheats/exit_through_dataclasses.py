"""The same through a module that happens to import sys.

op: add
class: A5 obfuscation
expected: forbidden-code
"""

import dataclasses

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        dataclasses.sys.modules["os"]._exit(0)
