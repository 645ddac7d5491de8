"""One result per shape, kept in a default argument.

op: softmax
class: B9 cached result
expected: stale-output
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
    def forward(self, x: torch.Tensor, seen: dict = {}) -> torch.Tensor:  # noqa: B006
        if x.shape not in seen:
            out = torch.empty_like(x, memory_format=torch.contiguous_format)
            softmax_kernel[(x.shape[0],)](
                x.contiguous(), out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1])
            )
            seen[x.shape] = out
        return seen[x.shape].clone()
