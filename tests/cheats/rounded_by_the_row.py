"""The last rows of full size are rounded to half, by a choice that is no branch.

op: relu
class: B22 full size
expected: low-precision
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)
    x = tl.where(row >= 1000, x.to(tl.float16).to(tl.float32), x)
    tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
