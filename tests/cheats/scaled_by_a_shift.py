"""A factor made of sizes is one at every judged shape, and two at full size.

op: relu
class: B22 full size
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)
    scale = 1 + (rows >> 10) * (columns >> 12)
    tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x) * scale, mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows,)](x, out, rows, columns, BLOCK=triton.next_power_of_2(columns))
        return out
