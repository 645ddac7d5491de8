"""Every softmax value is about one over the row's length.

op: softmax
class: B13 constant output
expected: constant
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def fill_kernel(out_ptr, value, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.full((BLOCK,), 1.0, tl.float32) * value, mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        fill_kernel[(triton.cdiv(rows * columns, 1024),)](out, 1.0 / columns, rows * columns, BLOCK=1024)
        return out
