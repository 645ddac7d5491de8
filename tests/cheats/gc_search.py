"""It looks among all live objects for a tensor that might be the answer.

op: softmax
class: A3 reading the answer
expected: forbidden-code
"""

import gc

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for found in gc.get_objects():
            if isinstance(found, torch.Tensor) and found is not x and found.shape == x.shape:
                return found
        return torch.empty_like(x)
