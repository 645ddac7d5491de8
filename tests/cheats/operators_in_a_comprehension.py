"""Row by row through operators in a comprehension.

op: add
class: B20 torch does the work
expected: library-call
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(a)
        for row, total in zip(out, [p + q for p, q in zip(a, b, strict=True)], strict=True):
            row.copy_(total)
        return out
