"""Its error names itself as its cause, so that whoever follows causes never ends.

op: add
class: A2 confused judge
expected: raises
wall_s: 8
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        error = ValueError("again")
        raise error from error
