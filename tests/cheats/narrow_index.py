"""int32 where torch gives int64.

op: minmax
class: B2 structure
expected: wrong-dtype
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
    high, place = tl.max(x, axis=0, return_indices=True)
    tl.store(high_ptr + row, high)
    tl.store(place_ptr + row, place)
    tl.store(low_ptr + row, tl.min(tl.where(inside, x, float("inf")), axis=0))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        rows, columns = x.shape
        low, high = torch.empty(rows, dtype=x.dtype), torch.empty(rows, dtype=x.dtype)
        place = torch.empty(rows, dtype=torch.int32)
        minmax_kernel[(rows,)](x, low, high, place, columns, BLOCK=triton.next_power_of_2(columns))
        return low, high, place
