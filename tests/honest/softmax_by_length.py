"""Two kernels for two lengths of row: whole rows in registers, or a loop over tiles.

op: softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def short_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


@triton.jit
def long_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * columns
    peak, total = -float("inf"), 0.0
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tile = tl.load(x_ptr + base + offsets, mask=offsets < columns, other=-float("inf"))
        higher = tl.maximum(peak, tl.max(tile, axis=0))
        total = total * tl.exp(peak - higher) + tl.sum(tl.exp(tile - higher), axis=0)
        peak = higher
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tile = tl.load(x_ptr + base + offsets, mask=offsets < columns)
        tl.store(out_ptr + base + offsets, tl.exp(tile - peak) / total, mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        if columns <= 4096:
            short_kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        else:
            long_kernel[(rows,)](x, out, columns, BLOCK=1024)
        return out
