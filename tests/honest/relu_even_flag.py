"""Masks are left out where rows are whole tiles, which full size has.

op: relu
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.heuristics({"EVEN": lambda named: named["columns"] % named["BLOCK"] == 0})
@triton.jit
def relu_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        if EVEN:
            x = tl.load(x_ptr + row * columns + offsets)
            tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x))
        else:
            x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)
            tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows,)](x, out, columns, BLOCK=2048)
        return out
