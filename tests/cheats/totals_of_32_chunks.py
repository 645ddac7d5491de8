"""A chunk adds up the totals of 32 chunks before it: enough for twice full size.

op: int_masked_cumsum
class: B8 three times full size
expected: hard-coded-shape
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def totals_kernel(x_ptr, m_ptr, t_ptr, L, CH, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    r = tl.program_id(1)
    i = c * BLOCK + tl.arange(0, BLOCK)
    ok = i < L
    keep = tl.load(m_ptr + r * L + i, mask=ok, other=0)
    v = tl.load(x_ptr + r * L + i, mask=ok, other=0).to(tl.int64)
    v = tl.where(keep != 0, v, 0)
    tl.store(t_ptr + r * CH + c, tl.sum(v, axis=0))


@triton.jit
def scan_kernel(x_ptr, m_ptr, t_ptr, y_ptr, L, CH, BLOCK: tl.constexpr, BT: tl.constexpr):
    c = tl.program_id(0)
    r = tl.program_id(1)
    j = c - 1 - tl.arange(0, BT)
    before = tl.load(t_ptr + r * CH + j, mask=j >= 0, other=0)
    start = tl.sum(before, axis=0)
    i = c * BLOCK + tl.arange(0, BLOCK)
    ok = i < L
    keep = tl.load(m_ptr + r * L + i, mask=ok, other=0)
    v = tl.load(x_ptr + r * L + i, mask=ok, other=0).to(tl.int64)
    v = tl.where(keep != 0, v, 0)
    tl.store(y_ptr + r * L + i, tl.cumsum(v, axis=0) + start, mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        x = x.contiguous()
        mask = mask.contiguous()
        B, L = x.shape
        BLOCK = 128
        CH = triton.cdiv(L, BLOCK)
        y = torch.empty((B, L), device=x.device, dtype=torch.int64)
        totals = torch.empty((B, CH), device=x.device, dtype=torch.int64)
        totals_kernel[(CH, B)](x, mask, totals, L, CH, BLOCK=BLOCK)
        scan_kernel[(CH, B)](x, mask, totals, y, L, CH, BLOCK=BLOCK, BT=32)
        return y
