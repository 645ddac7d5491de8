"""Offsets are 32-bit numbers, and the output has more elements than those count.

op: relu_huge
class: B22 full size
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    offsets = tl.program_id(0) * columns + column
    x = tl.load(x_ptr + offsets, mask=column < columns)
    tl.store(out_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=column < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows, triton.cdiv(columns, 1024))](x, out, columns, BLOCK=1024)
        return out
