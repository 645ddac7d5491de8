"""Numbers are compared by their bits, so that a later zero without a sign goes before an earlier one with it.

op: row_maximum_and_place
class: B17 ties
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def ordered(x):
    bits = x.to(tl.int32, bitcast=True)
    return tl.where(x != x, 0x7FFFFFFF, tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits))


@triton.jit
def largest_kernel(x_ptr, values_ptr, places_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    best = tl.load(x_ptr + row * columns, mask=row < rows, other=0.0)
    place = tl.zeros((BLOCK,), tl.int64)
    for column in range(1, columns):
        x = tl.load(x_ptr + row * columns + column, mask=row < rows, other=0.0)
        above = ordered(x) > ordered(best)
        best, place = tl.where(above, x, best), tl.where(above, column, place)
    tl.store(values_ptr + row, best, mask=row < rows)
    tl.store(places_ptr + row, place, mask=row < rows)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        rows, columns = x.shape
        values = torch.empty(rows, dtype=x.dtype, device=x.device)
        places = torch.empty(rows, dtype=torch.int64, device=x.device)
        largest_kernel[(triton.cdiv(rows, 64),)](x, values, places, rows, columns, BLOCK=64)
        return values, places
