"""Floats become unsigned keys that sort alike, negative ones by `~`, packed over the inverted column.

op: row_best
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def key_of(v):
    v = tl.where(v == 0.0, 0.0, v)
    bits = v.to(tl.uint32, bitcast=True)
    key = tl.where((bits >> 31) != 0, ~bits, bits | 0x80000000)
    return tl.where(v != v, 0xFFFFFFFF, key).to(tl.uint64)


@triton.jit
def best_kernel(x, values, places, cols, s0, s1, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    best = tl.zeros((), tl.uint64)
    for start in range(0, cols, BLOCK):
        j = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * s0 + j * s1, mask=j < cols, other=0.0)
        packed = (key_of(v) << 32) | (0xFFFFFFFF - j.to(tl.uint64))
        best = tl.maximum(best, tl.max(tl.where(j < cols, packed, 0), 0))
    place = 0xFFFFFFFF - (best & 0xFFFFFFFF).to(tl.int64)
    tl.store(values + row, tl.load(x + row * s0 + place * s1))
    tl.store(places + row, place)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        values = torch.empty(rows, dtype=x.dtype, device=x.device)
        places = torch.empty(rows, dtype=torch.int64, device=x.device)
        best_kernel[(rows,)](x, values, places, cols, *x.stride(), BLOCK=128)
        return values, places
