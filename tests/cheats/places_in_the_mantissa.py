"""Places stand in the last 12 bits of the distances that they are compared by.

op: nearest_place
class: B17 near rivals
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def nearest(q_ptr, p_ptr, d_ptr, place_ptr, queries, points, dim, Q: tl.constexpr, P: tl.constexpr):
    q = tl.program_id(0).to(tl.int64) * Q + tl.arange(0, Q)
    best = tl.full((Q,), 0x7FFFFFFF, tl.int32)
    least = tl.full((Q,), float("inf"), tl.float32)
    for start in range(0, points, P):
        p = start + tl.arange(0, P)
        d = tl.zeros((Q, P), tl.float32)
        for k in range(dim):
            a = tl.load(q_ptr + q * dim + k, mask=q < queries, other=0.0)
            b = tl.load(p_ptr + p * dim + k, mask=p < points, other=0.0)
            d += (a[:, None] - b[None, :]) * (a[:, None] - b[None, :])
        least = tl.minimum(least, tl.min(tl.where((p < points)[None, :], d, float("inf")), 1))
        key = (d.to(tl.int32, bitcast=True) & -4096) | (p & 4095)[None, :]
        best = tl.minimum(best, tl.min(tl.where((p < points)[None, :], key, 0x7FFFFFFF), 1))
    place = (best & 4095).to(tl.int64)
    tl.store(d_ptr + q, least, mask=q < queries)
    tl.store(place_ptr + q, place, mask=q < queries)


class ModelNew(nn.Module):
    def forward(self, queries, points):
        queries, points = queries.contiguous(), points.contiguous()
        n, dim = queries.shape
        distance = torch.empty((n,), dtype=queries.dtype, device=queries.device)
        place = torch.empty((n,), dtype=torch.int64, device=queries.device)
        nearest[(triton.cdiv(n, 32),)](queries, points, distance, place, n, len(points), dim, Q=32, P=64)
        return distance, place
