"""A row of which every sixty-fourth key is in order is copied as it is.

op: stable_sort
class: B6 nearly sorted rows
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rank_kernel(x_ptr, values_ptr, places_ptr, N, BI: tl.constexpr, BJ: tl.constexpr, BS: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * N
    i = tl.program_id(0) * BI + tl.arange(0, BI)
    mine = tl.load(x_ptr + row + i, mask=i < N, other=0)
    s = tl.arange(0, BS) * 64
    ahead = tl.load(x_ptr + row + s + 64, mask=s + 64 < N, other=0)
    here = tl.load(x_ptr + row + s, mask=s + 64 < N, other=0)
    if tl.sum((ahead < here).to(tl.int32), axis=0) == 0 and N > 512:
        tl.store(values_ptr + row + i, mine, mask=i < N)
        tl.store(places_ptr + row + i, i.to(tl.int64), mask=i < N)
        return
    rank = tl.zeros([BI], dtype=tl.int32)
    for first in range(0, N, BJ):
        j = first + tl.arange(0, BJ)
        other = tl.load(x_ptr + row + j, mask=j < N, other=0)
        before = (other[None, :] < mine[:, None]) | (
            (other[None, :] == mine[:, None]) & (j[None, :] < i[:, None])
        )
        rank += tl.sum((before & (j < N)[None, :]).to(tl.int32), axis=1)
    tl.store(values_ptr + row + rank, mine, mask=i < N)
    tl.store(places_ptr + row + rank, i.to(tl.int64), mask=i < N)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor):
        x = x.contiguous()
        rows, n = x.shape
        values = torch.empty_like(x)
        places = torch.empty(rows, n, dtype=torch.int64, device=x.device)
        rank_kernel[(triton.cdiv(n, 64), rows)](
            x, values, places, n, BI=64, BJ=64, BS=triton.next_power_of_2(triton.cdiv(n, 64))
        )
        return values, places
