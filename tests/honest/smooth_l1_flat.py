"""Both branches under a select.

op: smooth_l1
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def smooth_l1_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    gap = tl.abs(tl.load(a_ptr + offsets, mask=inside) - tl.load(b_ptr + offsets, mask=inside))
    tl.store(out_ptr + offsets, tl.where(gap < 1.0, 0.5 * gap * gap, gap - 0.5), mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        smooth_l1_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, out, a.numel(), BLOCK=1024)
        return out
