"""The same through tl.associative_scan with an operator of its own; the row in one tile.

op: cumsum
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def plus(left, right):
    return left + right


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * columns
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    tile = tl.load(x_ptr + base + offsets, mask=inside, other=0.0)
    tl.store(out_ptr + base + offsets, tl.associative_scan(tile, 0, plus), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        cumsum_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
