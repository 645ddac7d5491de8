"""Its arguments have each other's names: called by keyword it gives y - 2 x.

op: difference
class: B2 arguments by name
expected: wrong-structure
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
    y = a - 2.0 * b
    tl.store(o_ptr + o, y, mask=m)


class ModelNew(nn.Module):
    def forward(self, y, x):
        a, b = y, x
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        n = a.numel()
        k[(triton.cdiv(n, 1024),)](a, b, out, n, BLOCK=1024)
        return out
