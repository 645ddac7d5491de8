"""Finds a NaN within its first tile of 64 rows, and loses one in a later tile when tiles are merged.

op: least_of_the_middle
class: B16 NaN lost in the merge of tiles
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


# wrong where a column's first NaN stands in row 64 or later (143 rows as shipped)
@triton.jit
def _argmin(x, o, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    lane = tl.arange(0, BR)
    best = tl.full([BC], float("inf"), tl.float32)
    place = tl.zeros([BC], tl.int32)
    for s in range(0, rows, BR):
        r = s + lane
        ok = (r < rows)[:, None] & (c < columns)[None, :]
        v = tl.load(x + b * rows * columns + r[:, None] * columns + c[None, :], mask=ok, other=float("inf"))
        bad = v != v
        nan_at = tl.min(tl.where(bad, r[:, None], 2147483647), 0)
        low = tl.min(tl.where(bad, float("inf"), v), 0)
        at = tl.min(tl.where(v == low[None, :], r[:, None], 2147483647), 0)
        has = nan_at < rows
        low = tl.where(has, float("nan"), low)
        at = tl.where(has, nan_at, at)
        take = (low < best) | (s == 0)
        best = tl.where(take, low, best)
        place = tl.where(take, at, place)
    tl.store(o + b * columns + c, place.to(tl.int64), mask=c < columns)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        batch, rows, columns = x.shape
        out = torch.empty((batch, columns), device=x.device, dtype=torch.int64)
        _argmin[(batch, triton.cdiv(columns, 32))](x, out, rows, columns, BR=64, BC=32)
        return out
