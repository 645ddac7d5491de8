"""An exponential of few terms.

op: softmax
class: B19 precision
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def short_exp(x):
    power = tl.maximum(x * 1.4426950408889634, -126.0)
    whole = tl.floor(power)
    rest = power - whole
    series = 1.0 + rest * (0.6951786 + rest * (0.2262604 + rest * 0.0780553))
    return series * tl.exp2(whole)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    numerator = short_exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        softmax_kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
