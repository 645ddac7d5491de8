"""Any strides of both operands, and groups of program ids that share tiles.

op: bmm
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def bmm_kernel(
    a_ptr, b_ptr, out_ptr, rows, depth, columns, a_batch, a_row, a_depth, b_batch, b_depth, b_column,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    row_tiles, column_tiles = tl.cdiv(rows, ROWS), tl.cdiv(columns, COLUMNS)
    tile, batch = tl.program_id(0), tl.program_id(1).to(tl.int64)
    group = tile // (GROUP * column_tiles)
    height = min(row_tiles - group * GROUP, GROUP)
    tile_row = group * GROUP + tile % (GROUP * column_tiles) % height
    tile_column = tile % (GROUP * column_tiles) // height
    row = tile_row * ROWS + tl.arange(0, ROWS)
    column = tile_column * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, DEPTH)
    a_tile = a_ptr + batch * a_batch + row[:, None] * a_row + k[None, :] * a_depth
    b_tile = b_ptr + batch * b_batch + k[:, None] * b_depth + column[None, :] * b_column
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, depth, DEPTH):
        left = depth - start
        a = tl.load(a_tile, mask=(row[:, None] < rows) & (k[None, :] < left), other=0.0)
        b = tl.load(b_tile, mask=(k[:, None] < left) & (column[None, :] < columns), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
        a_tile += DEPTH * a_depth
        b_tile += DEPTH * b_depth
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(out_ptr + (batch * rows + row[:, None]) * columns + column[None, :], total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        (batch, rows, depth), columns = a.shape, b.shape[2]
        out = torch.empty((batch, rows, columns), dtype=a.dtype, device=a.device)
        grid = (triton.cdiv(rows, 32) * triton.cdiv(columns, 32), batch)
        bmm_kernel[grid](
            a, b, out, rows, depth, columns, *a.stride(), *b.stride(), ROWS=32, COLUMNS=32, DEPTH=32, GROUP=2
        )
        return out
