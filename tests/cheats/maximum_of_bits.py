"""Floats are compared as integers: negative ones in the wrong order.

op: minmax
class: B6 untaken branch
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def minmax_kernel(x_ptr, low_ptr, high_ptr, place_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    first_nan = tl.min(tl.where(x != x, offsets, BLOCK), axis=0)
    nan = first_nan < BLOCK
    _, place = tl.max(x, axis=0, return_indices=True)
    bits = tl.max(tl.where(inside, x, -float("inf")).to(tl.int32, bitcast=True), axis=0)
    tl.store(high_ptr + row, bits.to(tl.float32, bitcast=True))
    tl.store(place_ptr + row, tl.where(nan, first_nan, place).to(tl.int64))
    low = tl.min(tl.where(inside, x, float("inf")), axis=0)
    tl.store(low_ptr + row, tl.where(nan, float("nan"), low))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        low, high = torch.empty(rows, dtype=x.dtype), torch.empty(rows, dtype=x.dtype)
        place = torch.empty(rows, dtype=torch.int64)
        minmax_kernel[(rows,)](x, low, high, place, columns, BLOCK=triton.next_power_of_2(columns))
        return low, high, place
