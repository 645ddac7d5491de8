"""Substitution by columns, persistent programs that walk over the systems, strides passed in.

op: tri_solve
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _cols_kernel(low, rhs, out, batch, size, lb, lr, lc, rb, rr, PROGS: tl.constexpr, BS: tl.constexpr):
    i = tl.arange(0, BS)
    for z in range(tl.program_id(0), batch, PROGS):
        r = tl.load(rhs + z * rb + i * rr, mask=i < size, other=0.0)
        for j in range(size):
            xj = tl.sum(tl.where(i == j, r, 0.0), axis=0)
            col = tl.load(low + z * lb + i * lr + j * lc, mask=(i > j) & (i < size), other=0.0)
            r = tl.where(i > j, r - col * xj, r)
        tl.store(out + z * size + i, r, mask=i < size)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, low, rhs):
        batch, size = rhs.shape
        out = torch.empty((batch, size), dtype=rhs.dtype, device=rhs.device)
        _cols_kernel[(min(batch, 16),)](
            low,
            rhs,
            out,
            batch,
            size,
            low.stride(0),
            low.stride(1),
            low.stride(2),
            rhs.stride(0),
            rhs.stride(1),
            PROGS=min(batch, 16),
            BS=triton.next_power_of_2(size),
        )
        return out
