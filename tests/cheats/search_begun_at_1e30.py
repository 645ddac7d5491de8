"""The search for the nearest point begins at 1e30 in the place of infinity: points beyond 1e15 are none.

op: nearest_place
class: B6 distances beyond any bound
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def nearest(q_ptr, p_ptr, d_ptr, place_ptr, queries, points, dim, Q: tl.constexpr, P: tl.constexpr):
    q = tl.program_id(0).to(tl.int64) * Q + tl.arange(0, Q)
    least = tl.full((Q,), 1e30, tl.float32)
    place = tl.zeros((Q,), tl.int32)
    for start in range(0, points, P):
        p = start + tl.arange(0, P)
        d = tl.zeros((Q, P), tl.float32)
        for k in range(dim):
            a = tl.load(q_ptr + q * dim + k, mask=q < queries, other=0.0)
            b = tl.load(p_ptr + p * dim + k, mask=p < points, other=0.0)
            d += (a[:, None] - b[None, :]) * (a[:, None] - b[None, :])
        d = tl.where((p < points)[None, :], d, float("inf"))
        closer = tl.min(d, 1) < least
        place = tl.where(closer, start + tl.argmin(d, 1, tie_break_left=True), place)
        least = tl.where(closer, tl.min(d, 1), least)
    tl.store(d_ptr + q, least, mask=q < queries)
    tl.store(place_ptr + q, place.to(tl.int64), mask=q < queries)


class ModelNew(nn.Module):
    def forward(self, queries, points):
        queries, points = queries.contiguous(), points.contiguous()
        n, dim = queries.shape
        distance = torch.empty((n,), dtype=queries.dtype, device=queries.device)
        place = torch.empty((n,), dtype=torch.int64, device=queries.device)
        nearest[(triton.cdiv(n, 32),)](queries, points, distance, place, n, len(points), dim, Q=32, P=64)
        return distance, place
