"""One row fewer where there are as many as the op file ships: no branch, and no small shape shows it.

op: relu
class: A8 fallback
expected: unwritten-output
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
    tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows - (rows == 1024),)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
