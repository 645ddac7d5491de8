"""Rows longer than 512 are cut off: right at the sizes people test with.

op: softmax
class: B8 hard-coded shape
expected: hard-coded-shape
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


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows = x.shape[0]
        out = torch.zeros_like(x)
        part = x[:, :512].contiguous()
        short = torch.empty_like(part)
        softmax_kernel[(rows,)](part, short, part.shape[1], BLOCK=triton.next_power_of_2(part.shape[1]))
        out[:, :512] = short
        return out
