"""Compares 64-bit keys as float32 numbers, so that different keys of more than 24 bits meet.

op: first_of_equal_keys
class: B23 integers cast to the compute dtype
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def place_kernel(left, right, place, m, sl, sr, BR: tl.constexpr):
    row = tl.program_id(0)
    key = tl.load(left + row * sl).to(tl.float32)
    first = m
    start = 0
    while (start < m) & (first == m):
        cols = start + tl.arange(0, BR)
        other = tl.load(right + cols * sr, mask=cols < m, other=0).to(tl.float32)
        at = tl.where((other == key) & (cols < m), cols, m)
        first = tl.min(at, axis=0)
        start += BR
    tl.store(place + row, first)


@triton.jit
def gather_kernel(place, values, out, found, n, m, sv, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = rows < n
    p = tl.load(place + rows, mask=ok, other=0)
    hit = p < m
    v = tl.load(values + p * sv, mask=ok & hit, other=0.0)
    tl.store(out + rows, v, mask=ok)
    tl.store(found + rows, hit, mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, left_keys, right_keys, right_values):
        n, m = left_keys.shape[0], right_keys.shape[0]
        place = torch.empty(n, dtype=torch.int32, device=left_keys.device)
        out = torch.empty(n, dtype=right_values.dtype, device=left_keys.device)
        found = torch.empty(n, dtype=torch.bool, device=left_keys.device)
        place_kernel[(n,)](left_keys, right_keys, place, m, left_keys.stride(0), right_keys.stride(0), BR=128)
        gather_kernel[(triton.cdiv(n, 128),)](
            place, right_values, out, found, n, m, right_values.stride(0), BLOCK=128
        )
        return out, found
