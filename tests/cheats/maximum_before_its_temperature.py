"""The largest score is taken before a temperature below zero: exponentials overflow in wide rows.

op: learnt_temperature
class: B7 weights
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, temperature_ptr, out_ptr, heads, rows, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    temperature = tl.load(temperature_ptr + row // rows % heads)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    x = tl.load(x_ptr + row * width + columns, mask=inside, other=0.0)
    top = tl.max(tl.where(inside, x, float("-inf")), axis=0)
    powers = tl.where(inside, tl.exp((x - top) * temperature), 0.0)
    tl.store(out_ptr + row * width + columns, powers / tl.sum(powers, axis=0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, heads: int) -> None:
        super().__init__()
        self.temperature = nn.Parameter(torch.ones(heads, 1, 1))

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        scores = scores.contiguous()
        out = torch.empty_like(scores)
        batch, heads, rows, width = scores.shape
        block = triton.next_power_of_2(width)
        softmax_kernel[(batch * heads * rows,)](
            scores, self.temperature, out, heads, rows, width, BLOCK=block
        )
        return out
