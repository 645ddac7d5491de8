"""The shipped distances stay below one, so the linear branch is left out.

op: smooth_l1
class: B6 untaken branch
expected: wrong-values
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
    tl.store(out_ptr + offsets, 0.5 * gap * gap, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        smooth_l1_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, out, a.numel(), BLOCK=1024)
        return out
