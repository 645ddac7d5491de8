"""Begins its minima at 9999, which no shipped sum comes near.

op: minplus
class: B6 input distribution
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def minplus_kernel(
    a_ptr, b_ptr, out_ptr, rows, columns, between, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    least = tl.full((BM, BN), 9999.0, tl.float32)
    for start in range(0, between, BK):
        k = start + tl.arange(0, BK)
        here = (i[:, None] < rows) & (k[None, :] < between)
        there = (k[:, None] < between) & (j[None, :] < columns)
        a = tl.load(a_ptr + i[:, None] * between + k[None, :], mask=here, other=float("inf"))
        b = tl.load(b_ptr + k[:, None] * columns + j[None, :], mask=there, other=0.0)
        least = tl.minimum(least, tl.min(a[:, :, None] + b[None, :, :], axis=1))
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    tl.store(out_ptr + i[:, None] * columns + j[None, :], least, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        (rows, between), columns = a.shape, b.shape[1]
        out = torch.empty((rows, columns), device=a.device, dtype=a.dtype)
        grid = (triton.cdiv(rows, 16), triton.cdiv(columns, 32))
        minplus_kernel[grid](a, b, out, rows, columns, between, BM=16, BN=32, BK=16)
        return out
