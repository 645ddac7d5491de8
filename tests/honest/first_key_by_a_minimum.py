"""A block of left rows walks over the right table in tiles and keeps the smallest matching place.

op: first_of_equal_keys
class: tile comparison, running minimum
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def join_kernel(left, right, values, out, found, n, m, BL: tl.constexpr, BR: tl.constexpr):
    rows = tl.program_id(0) * BL + tl.arange(0, BL)
    row_ok = rows < n
    key = tl.load(left + rows, mask=row_ok, other=0)
    best = tl.full((BL,), 2147483647, tl.int32)
    for start in range(0, m, BR):
        cols = start + tl.arange(0, BR)
        col_ok = cols < m
        other = tl.load(right + cols, mask=col_ok, other=0)
        same = (key[:, None] == other[None, :]) & col_ok[None, :]
        place = tl.where(same, cols[None, :], 2147483647)
        best = tl.minimum(best, tl.min(place, axis=1))
    hit = best < m
    picked = tl.load(values + best, mask=row_ok & hit, other=0.0)
    tl.store(out + rows, picked, mask=row_ok)
    tl.store(found + rows, hit, mask=row_ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, left_keys, right_keys, right_values):
        left, right, values = left_keys.contiguous(), right_keys.contiguous(), right_values.contiguous()
        n, m = left.shape[0], right.shape[0]
        out = torch.empty(n, dtype=values.dtype, device=values.device)
        found = torch.empty(n, dtype=torch.bool, device=values.device)
        join_kernel[(triton.cdiv(n, 32),)](left, right, values, out, found, n, m, BL=32, BR=64)
        return out, found
