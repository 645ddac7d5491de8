"""The kernel is used only for sizes nobody asks for.

op: softmax
class: A8 fallback
expected: fallback-branch
allowed: torch.softmax
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
        rows, columns = x.shape
        block = triton.next_power_of_2(columns)
        if columns > 16:
            return torch.softmax(x, dim=-1)
        out = torch.empty_like(x)
        softmax_kernel[(rows,)](x, out, columns, BLOCK=block)
        return out
