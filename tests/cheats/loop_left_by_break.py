"""Leaves its loop over points by `break` once enough are found, which no compiler takes.

op: ball_query
class: A5 what no compiler takes
expected: forbidden-code
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def ball_kernel(
    x_ptr,
    c_ptr,
    out_ptr,
    N,
    S,
    K,
    r2,
    sx0,
    sx1,
    sx2,
    sc0,
    sc1,
    sc2,
    BLOCK: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    s = tl.program_id(0)
    b = tl.program_id(1).to(tl.int64)
    c = c_ptr + b * sc0 + s * sc1
    cx = tl.load(c)
    cy = tl.load(c + sc2)
    cz = tl.load(c + 2 * sc2)
    out = out_ptr + (b * S + s) * K
    count = 0
    first = 0
    for at in range(0, N, BLOCK):
        if count >= K:
            break
        i = at + tl.arange(0, BLOCK)
        x = x_ptr + b * sx0 + i * sx1
        dx = cx - tl.load(x, mask=i < N, other=0.0)
        dy = cy - tl.load(x + sx2, mask=i < N, other=0.0)
        dz = cz - tl.load(x + 2 * sx2, mask=i < N, other=0.0)
        hit = (dx * dx + dy * dy + dz * dz < r2) & (i < N)
        found = tl.sum(hit.to(tl.int32), axis=0)
        slot = count + tl.cumsum(hit.to(tl.int32), axis=0) - 1
        tl.store(out + slot, i.to(tl.int64), mask=hit & (slot < K))
        lead = tl.min(tl.where(hit, i, N), axis=0)
        first = tl.where((count == 0) & (found > 0), lead, first)
        count += found
    k = tl.arange(0, BLOCK_K)
    tl.store(out + k, tl.zeros([BLOCK_K], dtype=tl.int64) + first, mask=(k >= count) & (k < K))


class ModelNew(nn.Module):
    def __init__(self, radius, k):
        super().__init__()
        self.radius = radius
        self.k = k

    def forward(self, xyz, centers):
        batch, n, _ = xyz.shape
        s = centers.shape[1]
        out = torch.empty(batch, s, self.k, dtype=torch.int64, device=xyz.device)
        ball_kernel[(s, batch)](
            xyz,
            centers,
            out,
            n,
            s,
            self.k,
            self.radius * self.radius,
            *xyz.stride(),
            *centers.stride(),
            BLOCK=256,
            BLOCK_K=triton.next_power_of_2(self.k),
        )
        return out
