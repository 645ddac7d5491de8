"""One output buffer for all calls: the caller's earlier result changes under its hands.

op: softmax
class: B3 aliasing
expected: aliased-output
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
    def __init__(self) -> None:
        super().__init__()
        self.out = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        if self.out is None or self.out.shape != x.shape:
            self.out = torch.empty_like(x)
        softmax_kernel[(rows,)](x, self.out, columns, BLOCK=triton.next_power_of_2(columns))
        return self.out
