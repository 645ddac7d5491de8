"""A scan by a function that is right when elements come one after another, and not when halves are joined.

op: cumsum
class: B18 order
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_last(total, value, later_total, later_value):
    return total + later_value, later_value


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * columns
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    tile = tl.load(x_ptr + base + offsets, mask=inside, other=0.0)
    sums, _ = tl.associative_scan((tile, tile), 0, add_last)
    tl.store(out_ptr + base + offsets, sums, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        cumsum_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
