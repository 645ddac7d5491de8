"""Counts in tiles how many times are not after each asked one; the count less one is the place.

op: asof_join
class: counts by comparison tiles instead of searching
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def count_kernel(t_ptr, v_ptr, a_ptr, o_ptr, p_ptr, T, A, fill, BLOCK_A: tl.constexpr, BLOCK_T: tl.constexpr):
    row = tl.program_id(1)
    j = tl.program_id(0) * BLOCK_A + tl.arange(0, BLOCK_A)
    q = tl.load(a_ptr + row * A + j, mask=j < A, other=0)
    count = tl.zeros((BLOCK_A,), dtype=tl.int32)
    for start in range(0, T, BLOCK_T):
        i = start + tl.arange(0, BLOCK_T)
        t = tl.load(t_ptr + row * T + i, mask=i < T, other=0)
        count += tl.sum(((t[None, :] <= q[:, None]) & (i < T)[None, :]).to(tl.int32), axis=1)
    place = count - 1
    v = tl.load(v_ptr + row * T + place, mask=(j < A) & (place >= 0), other=0.0)
    tl.store(o_ptr + row * A + j, tl.where(place >= 0, v, fill), mask=j < A)
    tl.store(p_ptr + row * A + j, place.to(tl.int64), mask=j < A)


class ModelNew(nn.Module):
    def __init__(self, fill):
        super().__init__()
        self.fill = fill

    def forward(self, times, values, asked):
        times, values, asked = times.contiguous(), values.contiguous(), asked.contiguous()
        rows, n = times.shape
        m = asked.shape[1]
        out = torch.empty((rows, m), dtype=values.dtype, device=values.device)
        place = torch.empty((rows, m), dtype=torch.int64, device=values.device)
        count_kernel[(triton.cdiv(m, 32), rows)](
            times, values, asked, out, place, n, m, self.fill, BLOCK_A=32, BLOCK_T=64
        )
        return out, place
