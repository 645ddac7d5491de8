"""float16 operands added up in float16.

op: bmm
class: B19 precision
expected: low-precision
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def bmm_kernel(
    a_ptr, b_ptr, out_ptr, rows, depth, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(2).to(tl.int64)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, depth, DEPTH):
        k = start + tl.arange(0, DEPTH)
        a_inside = (row[:, None] < rows) & (k[None, :] < depth)
        b_inside = (k[:, None] < depth) & (column[None, :] < columns)
        a = tl.load(a_ptr + (batch * rows + row[:, None]) * depth + k[None, :], mask=a_inside, other=0.0)
        b_place = (batch * depth + k[:, None]) * columns + column[None, :]
        b = tl.load(b_ptr + b_place, mask=b_inside, other=0.0)
        total += tl.dot(a.to(tl.float16), b.to(tl.float16), out_dtype=tl.float16)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(out_ptr + (batch * rows + row[:, None]) * columns + column[None, :], total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        (batch, rows, depth), columns = a.shape, b.shape[2]
        out = torch.empty((batch, rows, columns), dtype=a.dtype, device=a.device)
        grid = (triton.cdiv(rows, 32), triton.cdiv(columns, 32), batch)
        bmm_kernel[grid](a, b, out, rows, depth, columns, ROWS=32, COLUMNS=32, DEPTH=32)
        return out
