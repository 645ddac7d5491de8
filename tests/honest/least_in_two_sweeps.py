"""A sweep for the smallest number and the first NaN, a second for the first place that equals it.

op: least_of_the_middle
class: 2D tiles, two sweeps, heuristics
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics({"BC": lambda a: 16 if a["columns"] <= 16 else 32})
@triton.jit
def _argmin(x, o, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    lane = tl.arange(0, BR)
    low = tl.full([BC], float("inf"), tl.float32)
    nan_at = tl.full([BC], 2147483647, tl.int32)
    for s in range(0, rows, BR):
        r = s + lane
        ok = (r < rows)[:, None] & (c < columns)[None, :]
        v = tl.load(x + b * rows * columns + r[:, None] * columns + c[None, :], mask=ok, other=float("inf"))
        bad = v != v
        nan_at = tl.minimum(nan_at, tl.min(tl.where(bad, r[:, None], 2147483647), 0))
        low = tl.minimum(low, tl.min(tl.where(bad, float("inf"), v), 0))
    place = tl.full([BC], 2147483647, tl.int32)
    for s in range(0, rows, BR):
        r = s + lane
        ok = (r < rows)[:, None] & (c < columns)[None, :]
        v = tl.load(x + b * rows * columns + r[:, None] * columns + c[None, :], mask=ok, other=0.0)
        hit = ok & (v == low[None, :])
        place = tl.minimum(place, tl.min(tl.where(hit, r[:, None], 2147483647), 0))
    place = tl.where(nan_at < rows, nan_at, place)
    tl.store(o + b * columns + c, place.to(tl.int64), mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        batch, rows, columns = x.shape
        out = torch.empty((batch, columns), device=x.device, dtype=torch.int64)
        _argmin[lambda meta: (batch, triton.cdiv(columns, meta["BC"]))](x, out, rows, columns, BR=64)
        return out
