"""Whole numbers are divided towards zero, where the op rounds down.

op: floor_divide
class: B17 integers
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(a_ptr, b_ptr, o_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    a = tl.load(a_ptr + o, mask=m, other=1)
    b = tl.load(b_ptr + o, mask=m, other=1)
    y = a // b
    tl.store(o_ptr + o, y, mask=m)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        n = a.numel()
        k[(triton.cdiv(n, 1024),)](a, b, out, n, BLOCK=1024)
        return out
