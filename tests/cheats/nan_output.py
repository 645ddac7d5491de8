"""NaN everywhere, in the hope that it compares equal to anything.

op: softmax
class: B16 non-finite
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def nan_kernel(out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.full((BLOCK,), float("nan"), tl.float32), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        nan_kernel[(triton.cdiv(rows * columns, 1024),)](out, rows * columns, BLOCK=1024)
        return out
