"""A digit more for each power of ten that a count reaches.

op: decimal_digits
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def digits_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    count = tl.abs(tl.load(x_ptr + at, mask=at < n, other=1).to(tl.int64))
    digits = tl.full((BLOCK,), 1, tl.int64)
    power = tl.full((BLOCK,), 10, tl.int64)
    for _ in range(9):
        digits += (count >= power).to(tl.int64)
        power *= 10
    tl.store(out_ptr + at, digits, mask=at < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty(x.shape, dtype=torch.int64, device=x.device)
        digits_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out
