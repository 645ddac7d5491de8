"""Large inputs get a program for each row, small ones flat tiles.

op: relu
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count)
    tl.store(out_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < count)


@triton.jit
def wide_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)
    tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        if rows * columns > 1 << 21:
            wide_kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        else:
            relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out
