"""Rows are promised to begin at multiples of 16: a view of a matrix one column wider breaks that on a card.

op: row_extremes
class: B18 promises
expected: false-promise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def aminmax_kernel(x_ptr, lo_ptr, hi_ptr, cols, sr, sc, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lo = tl.full((BLOCK,), float("inf"), tl.float32)
    hi = tl.full((BLOCK,), float("-inf"), tl.float32)
    bad = tl.zeros((BLOCK,), tl.int32)
    for s in range(0, cols, BLOCK):
        offs = s + tl.arange(0, BLOCK)
        mask = offs < cols
        ptr = x_ptr + tl.multiple_of(row * sr, 16) + offs.to(tl.int64) * sc
        a = tl.load(ptr, mask=mask, other=float("inf"))
        b = tl.where(mask, a, float("-inf"))
        bad = bad | (a != a).to(tl.int32)
        lo = tl.where(a < lo, a, lo)
        hi = tl.where(b > hi, b, hi)
    nan = tl.max(bad, 0) > 0
    tl.store(lo_ptr + row, tl.where(nan, float("nan"), tl.min(lo, 0)))
    tl.store(hi_ptr + row, tl.where(nan, float("nan"), tl.max(hi, 0)))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        lo = torch.empty((rows,), device=x.device, dtype=x.dtype)
        hi = torch.empty((rows,), device=x.device, dtype=x.dtype)
        aminmax_kernel[(rows,)](x, lo, hi, cols, x.stride(0), x.stride(1), BLOCK=1024)
        return lo, hi
