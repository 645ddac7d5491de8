"""Large inputs get another kernel, which does nothing; no line of the wrapper stays unread.

op: softmax
class: A8 fallback
expected: unwritten-output
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
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


@triton.jit
def large_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0), 0.0)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        kernel = (softmax_kernel, large_kernel)[rows * columns > 1_000_000]
        kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
