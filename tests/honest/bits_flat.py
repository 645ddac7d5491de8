"""Integers whose products wrap.

op: bits
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def bits_kernel(x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x, y = tl.load(x_ptr + offsets, mask=inside), tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, (x ^ (x >> 3)) * 5 + y, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        bits_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
        return out
