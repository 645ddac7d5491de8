"""A looped row with a running maximum, helper functions, and a second pass that writes.

op: softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rescale(peak, total, tile):
    higher = tl.maximum(peak, tl.max(tile, axis=0))
    return higher, total * tl.exp(peak - higher) + tl.sum(tl.exp(tile - higher), axis=0)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * columns
    peak, total = -float("inf"), 0.0
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tile = tl.load(x_ptr + base + offsets, mask=offsets < columns, other=-float("inf"))
        peak, total = rescale(peak, total, tile)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        tile = tl.load(x_ptr + base + offsets, mask=offsets < columns)
        tl.store(out_ptr + base + offsets, tl.exp(tile - peak) / total, mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=1024)
        return out
