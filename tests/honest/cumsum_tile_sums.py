"""Sums of tiles first, then each tile with what came before; one load is of a single element, all masked off.

op: cumsum
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sums_kernel(x_ptr, sum_ptr, columns, tiles, BLOCK: tl.constexpr):
    row, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    offsets = tile * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    tl.store(sum_ptr + row * tiles + tile, tl.sum(x, axis=0))


@triton.jit
def scan_kernel(x_ptr, sum_ptr, out_ptr, columns, tiles, BLOCK: tl.constexpr, TILES: tl.constexpr):
    row, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    earlier = tl.arange(0, TILES)
    carry = tl.sum(tl.load(sum_ptr + row * tiles + earlier, mask=earlier < tile, other=0.0), axis=0)
    offsets = tile * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    tl.store(out_ptr + row * columns + offsets, tl.cumsum(x, axis=0) + carry, mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        tiles = triton.cdiv(columns, 1024)
        out = torch.empty_like(x)
        sums = torch.empty((rows, tiles), dtype=x.dtype, device=x.device)
        sums_kernel[(rows, tiles)](x, sums, columns, tiles, BLOCK=1024)
        scan_kernel[(rows, tiles)](
            x, sums, out, columns, tiles, BLOCK=1024, TILES=triton.next_power_of_2(tiles)
        )
        return out
