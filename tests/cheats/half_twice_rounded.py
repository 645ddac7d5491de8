"""Twice the value in bfloat16, where float16 was given: five bits less.

op: half_scale
class: B19 precision
expected: low-precision
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scale_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    a, b = tl.load(a_ptr + offsets, mask=inside), tl.load(b_ptr + offsets, mask=inside)
    total = (2.0 * a.to(tl.bfloat16) + b.to(tl.bfloat16)).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(tl.float16), mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        scale_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, out, a.numel(), BLOCK=1024)
        return out
