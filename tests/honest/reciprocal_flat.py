"""A flat quotient keeps the sign of zero.

op: reciprocal
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def reciprocal_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count, other=1.0)
    tl.store(out_ptr + offsets, 1.0 / x, mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        reciprocal_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out
