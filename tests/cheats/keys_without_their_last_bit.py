"""Sorts by keys that lack the last bit of the mantissa, so numbers one step apart count as equal.

op: rows_sorted_down
class: B6 numbers near each other
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


# wrong where two numbers of a row are neighbours in float32 (1 and 1 + 2^-23) and the lesser one comes first
@triton.jit
def _sort(x, values, places, length, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    ok = i < length
    v = tl.load(x + row * length + i, mask=ok, other=0.0)
    flat = tl.where(v == 0.0, 0.0, v)
    bits = flat.to(tl.int32, bitcast=True)
    key = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    key = tl.where(v != v, 0x7FFFFFFF, key)
    key = key >> 1
    packed = -(key.to(tl.int64)) * 65536 + i
    packed = tl.where(ok, packed, 0x7FFFFFFFFFFFFFFF)
    packed = tl.sort(packed, 0)
    place = packed & 65535
    tl.store(places + row * length + i, place, mask=ok)
    tl.store(values + row * length + i, tl.load(x + row * length + place, mask=ok, other=0.0), mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        rows, length = x.shape
        if length > 2048:
            raise ValueError(f"rows of {length} numbers are not supported (2048 at most)")
        values = torch.empty_like(x)
        places = torch.empty((rows, length), device=x.device, dtype=torch.int64)
        _sort[(rows,)](x, values, places, length, BLOCK=triton.next_power_of_2(length))
        return values, places
