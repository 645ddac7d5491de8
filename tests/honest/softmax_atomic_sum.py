"""Row sums gathered with atomics by several programs, then divided; an autograd.Function around the launches.

op: softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def peak_kernel(x_ptr, peak_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    tl.store(peak_ptr + row, tl.max(x, axis=0))


@triton.jit
def sum_kernel(x_ptr, peak_ptr, total_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    tl.atomic_add(total_ptr + row, tl.sum(tl.exp(x - tl.load(peak_ptr + row)), axis=0))


@triton.jit
def divide_kernel(x_ptr, peak_ptr, total_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside)
    value = tl.exp(x - tl.load(peak_ptr + row)) / tl.load(total_ptr + row)
    tl.store(out_ptr + row * columns + offsets, value, mask=inside)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        peak = torch.empty(rows, dtype=x.dtype, device=x.device)
        total = torch.zeros(rows, dtype=x.dtype, device=x.device)
        out = torch.empty_like(x)
        peak_kernel[(rows,)](x, peak, columns, BLOCK=triton.next_power_of_2(columns))
        grid = (rows, triton.cdiv(columns, 512))
        sum_kernel[grid](x, peak, total, columns, BLOCK=512)
        divide_kernel[grid](x, peak, total, out, columns, BLOCK=512)
        return out


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Softmax.apply(x)
