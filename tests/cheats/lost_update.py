"""Programs add into one accumulator without atomics: right one after another, wrong together.

op: layernorm
class: B18 race
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def moments_kernel(x_ptr, sum_ptr, square_ptr, width, BLOCK: tl.constexpr):
    row, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    offsets = tile * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + offsets, mask=offsets < width, other=0.0)
    tl.store(sum_ptr + row, tl.load(sum_ptr + row) + tl.sum(x, axis=0))
    tl.store(square_ptr + row, tl.load(square_ptr + row) + tl.sum(x * x, axis=0))


@triton.jit
def apply_kernel(x_ptr, sum_ptr, square_ptr, weight_ptr, bias_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    offsets = tile * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < width
    mean = tl.load(sum_ptr + row) / width
    scale = tl.rsqrt(tl.load(square_ptr + row) / width - mean * mean + eps)
    x = tl.load(x_ptr + row * width + offsets, mask=inside)
    weight, bias = tl.load(weight_ptr + offsets, mask=inside), tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, (x - mean) * scale * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, width = x.shape
        total, square = torch.zeros(rows, dtype=x.dtype), torch.zeros(rows, dtype=x.dtype)
        out, norm, grid = torch.empty_like(x), self.norm, (rows, triton.cdiv(width, 128))
        moments_kernel[grid](x, total, square, width, BLOCK=128)
        apply_kernel[grid](x, total, square, norm.weight, norm.bias, out, width, norm.eps, BLOCK=128)
        return out
