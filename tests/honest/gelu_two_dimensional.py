"""A grid over rows and columns that reads any strides, so that nothing is copied first.

op: gelu
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gelu_kernel(
    x_ptr, out_ptr, rows, columns, row_stride, column_stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):  # fmt: skip
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    column = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * row_stride + column * column_stride, mask=inside)
    value = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(out_ptr + row * columns + column, value, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, columns = x.shape
        out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
        grid = (triton.cdiv(rows, 16), triton.cdiv(columns, 64))
        gelu_kernel[grid](x, out, rows, columns, x.stride(0), x.stride(1), ROWS=16, COLUMNS=64)
        return out
