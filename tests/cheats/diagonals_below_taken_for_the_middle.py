"""Diagonals below the middle are taken for the middle.

op: lower
class: B7 baked number
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, o_ptr, n, w, diagonal, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o, mask=o < n, other=0.0)
    i, j = o // w % w, o % w
    tl.store(o_ptr + o, tl.where(j - i <= tl.maximum(diagonal, 0), x, 0.0), mask=o < n)


class ModelNew(nn.Module):
    def forward(self, x, diagonal=0):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        k[(triton.cdiv(n, 1024),)](x, out, n, x.shape[-1], diagonal, BLOCK=1024)
        return out
