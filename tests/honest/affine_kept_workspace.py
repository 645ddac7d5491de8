"""A workspace is kept between calls, for its memory and not for its contents; the output is fresh.

op: affine
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def affine_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside)
    weight, bias = tl.load(weight_ptr + offsets, mask=inside), tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, x * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.workspace: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, width = x.shape
        if self.workspace is None or self.workspace.shape != x.shape:
            self.workspace = torch.empty_like(x)
        out, block = torch.empty_like(x), triton.next_power_of_2(width)
        affine_kernel[(rows,)](x, self.weight, self.bias, self.workspace, width, BLOCK=block)
        copy_kernel[(triton.cdiv(x.numel(), 1024),)](self.workspace, out, x.numel(), BLOCK=1024)
        return out


@triton.jit
def copy_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)
