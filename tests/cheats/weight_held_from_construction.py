"""The weight's memory is remembered at construction: `.to` and the like take the weights elsewhere.

op: linear
class: B9 stale weights
expected: stale-weights
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def linear_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, rows, depth, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, depth, DEPTH):
        k = start + tl.arange(0, DEPTH)
        x_inside = (row[:, None] < rows) & (k[None, :] < depth)
        w_inside = (k[:, None] < depth) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * depth + k[None, :], mask=x_inside, other=0.0)
        w = tl.load(weight_ptr + column[None, :] * depth + k[:, None], mask=w_inside, other=0.0)
        total = tl.dot(x, w, total, input_precision="ieee")
    total += tl.load(bias_ptr + column, mask=column < columns, other=0.0)[None, :]
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(out_ptr + row[:, None] * columns + column[None, :], total, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, out)
        self.held = self.linear.weight.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, depth = x.shape
        weight, bias = self.held, self.linear.bias
        columns = weight.shape[0]
        out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
        grid = (triton.cdiv(rows, 32), triton.cdiv(columns, 32))
        linear_kernel[grid](x, weight, bias, out, rows, depth, columns, ROWS=32, COLUMNS=32, DEPTH=32)
        return out
