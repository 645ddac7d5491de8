"""One of the three outputs is missing.

op: minmax
class: B2 structure
expected: wrong-structure
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def minmax_kernel(x_ptr, low_ptr, high_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0)
    tl.store(high_ptr + row, tl.max(tl.where(inside, x, -float("inf")), axis=0))
    tl.store(low_ptr + row, tl.min(tl.where(inside, x, float("inf")), axis=0))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        rows, columns = x.shape
        low, high = torch.empty(rows, dtype=x.dtype), torch.empty(rows, dtype=x.dtype)
        minmax_kernel[(rows,)](x, low, high, columns, BLOCK=triton.next_power_of_2(columns))
        return low, high
