"""A guard that refuses what it cannot do in words, and pointer increments hinted as multiples.

op: add
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(a_ptr, b_ptr, out_ptr, columns, a_stride, b_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        offsets = tl.max_contiguous(start + tl.arange(0, BLOCK), BLOCK)
        inside = offsets < columns
        a = tl.load(a_ptr + row * a_stride + offsets, mask=inside)
        b = tl.load(b_ptr + row * b_stride + offsets, mask=inside)
        tl.store(out_ptr + row * columns + offsets, a + b, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        if a.stride(-1) != 1 or b.stride(-1) != 1:
            raise ValueError(f"add_kernel reads rows with stride 1, got {a.stride(-1)} and {b.stride(-1)}")
        rows, columns = a.shape
        out = torch.empty((rows, columns), dtype=a.dtype, device=a.device)
        add_kernel[(rows,)](a, b, out, columns, a.stride(0), b.stride(0), BLOCK=256)
        return out
