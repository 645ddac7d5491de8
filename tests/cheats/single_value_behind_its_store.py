"""The row's peak goes through memory: one lane stores it, and the others load it before it is there.

op: softmax
class: B18 race inside a program
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, peaks_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    tl.store(peaks_ptr + row, tl.max(x, axis=0))
    peak = tl.load(peaks_ptr + row) * 1.0
    numerator = tl.exp(x - peak)
    tl.store(out_ptr + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        peaks, out = torch.empty(rows, dtype=x.dtype, device=x.device), torch.empty_like(x)
        softmax_kernel[(rows,)](x, peaks, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
