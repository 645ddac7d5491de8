"""Loads the next row's first elements and multiplies them by zero: infinity there makes NaN here.

op: rowsum
class: B16 non-finite
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rowsum_kernel(x, o, rows, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, n, BLOCK):
        q = s + j
        total += tl.load(x + r * n + q, mask=r * n + q < rows * n, other=0.0) * (q < n).to(tl.float32)
    tl.store(o + r, tl.sum(total))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty((r,), dtype=x.dtype, device=x.device)
        rowsum_kernel[(r,)](x, o, r, n, BLOCK=512)
        return o
