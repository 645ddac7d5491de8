"""Masked-off lanes of an integer load without `other` are added: undefined on a card, zero in the
interpreter.

op: intsum
class: B18 undefined lanes
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def intsum_kernel(x, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int64)
    for s in range(0, n, BLOCK):
        total += tl.load(x + r * n + s + j, mask=s + j < n).to(tl.int64)
    tl.store(o + r, tl.sum(total))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty((r,), dtype=torch.int64, device=x.device)
        intsum_kernel[(r,)](x, o, n, BLOCK=1024)
        return o
