"""Several rows per program, reduced along the second axis, with a base-2 exponential.

op: softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * columns + column, mask=inside, other=-float("inf"))
    shifted = x - tl.where(row < rows, tl.max(x, axis=1, keep_dims=True), 0.0)
    numerator = tl.exp2(shifted * 1.4426950408889634)
    total = tl.sum(numerator, axis=1, keep_dims=True)
    tl.store(out_ptr + row * columns + column, numerator / total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        block = triton.next_power_of_2(columns)
        softmax_kernel[(triton.cdiv(rows, 4),)](x, out, rows, columns, ROWS=4, BLOCK=block)
        return out
