"""Multiplies absolute values and sets the sign by the parity of negative factors, but the parity is
overwritten by each tile, not carried on: negative factors before the last tile are lost.

op: prod_rows
class: B6 signs of long products
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _mul(a, b):
    return a * b


@triton.jit
def _kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.full((BLOCK,), 1.0, tl.float32)
    odd = 0
    for start in range(0, cols, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * cols + offs, mask=offs < cols, other=1.0)
        acc *= tl.abs(x)
        odd = tl.sum((x < 0).to(tl.int32)) % 2
    product = tl.reduce(acc, 0, _mul)
    tl.store(y_ptr + row, tl.where(odd == 1, -product, product))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, cols = x.shape
        y = torch.empty(rows, dtype=x.dtype, device=x.device)
        _kernel[(rows,)](x, y, cols, BLOCK=512)
        return y
