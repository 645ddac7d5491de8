"""`and` in the function by which a block is reduced: of blocks the compiler takes it element by element.

op: all_set
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def both(left, right):
    return left and right


@triton.jit
def all_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    kept = tl.full((ROWS, BLOCK), 1, tl.int1)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(x_ptr + row * columns + column, mask=(row < rows) & (column < columns), other=1.0)
        kept = kept and (x > -2.0)
    found = tl.reduce(kept, 1, both)
    tl.store(out_ptr + row, found[:, None], mask=row < rows)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty(rows, dtype=torch.bool, device=x.device)
        all_kernel[(triton.cdiv(rows, 8),)](x, out, rows, columns, ROWS=8, BLOCK=128)
        return out
