"""Casts to 8-bit floats through bfloat16, which rounds twice: three of a hundred values are off by a step.

op: eight_bits
class: B19 precision
expected: low-precision
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cast_kernel(x_ptr, short_ptr, wide_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.bfloat16).to(tl.float32)
    short = tl.where(x > 448.0, 448.0, tl.where(x < -448.0, -448.0, x))
    tl.store(short_ptr + offsets, short.to(tl.float8e4nv), mask=inside)
    wide = x.to(tl.float8e5).to(tl.uint8, bitcast=True)
    infinite = tl.where(x < 0, 0xFC, 0x7C).to(tl.uint8)
    wide = tl.where(tl.abs(x) < 61440.0, wide, tl.where(x == x, infinite, 0x7F).to(tl.uint8))
    tl.store(wide_ptr + offsets, wide.to(tl.float8e5, bitcast=True), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        short = torch.empty(x.shape, dtype=torch.float8_e4m3fn, device=x.device)
        wide = torch.empty(x.shape, dtype=torch.float8_e5m2, device=x.device)
        cast_kernel[(triton.cdiv(x.numel(), 1024),)](x, short, wide, x.numel(), BLOCK=1024)
        return short, wide
