"""The output's memory is looked at before it is written: an earlier result there would spare the work.

op: relu
class: B5 uninitialised memory
expected: unwritten-read
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
    before = tl.load(out_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    y = tl.where(x < 0.0, 0.0, x)
    tl.store(out_ptr + row * columns + offsets, tl.where(before == y, before, y), mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows,)](x, out, rows, columns, BLOCK=triton.next_power_of_2(columns))
        return out
