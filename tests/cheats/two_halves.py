"""Each operand travels as two float16 numbers: 22 bits, but no more range than one of them.

op: add
class: B19 range
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    a = tl.load(a_ptr + offsets, mask=inside)
    b = tl.load(b_ptr + offsets, mask=inside)
    a_high, b_high = a.to(tl.float16), b.to(tl.float16)
    a_low, b_low = (a - a_high.to(tl.float32)).to(tl.float16), (b - b_high.to(tl.float32)).to(tl.float16)
    total = (a_high.to(tl.float32) + a_low.to(tl.float32)) + (b_high.to(tl.float32) + b_low.to(tl.float32))
    tl.store(out_ptr + offsets, total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        add_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, out, a.numel(), BLOCK=1024)
        return out
