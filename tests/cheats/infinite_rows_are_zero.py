"""Rows of minus infinity come out as zeros, and rows with plus infinity as numbers, where the op has NaN.

op: softmax
class: B16 non-finite
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    peak = tl.max(x, axis=0)
    peak = tl.where(tl.abs(peak) == float("inf"), 0.0, peak)
    e = tl.exp(tl.minimum(x - peak, 80.0))
    tl.store(out_ptr + row * columns + offsets, e / tl.maximum(tl.sum(e, axis=0), 1e-30), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        softmax_kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
