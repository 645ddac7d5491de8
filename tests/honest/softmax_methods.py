"""Reductions and exponentials as methods of blocks.

op: short_softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x, out, cols, s0, s1, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    v = tl.load(x + row * s0 + j * s1, mask=j < cols, other=float("-inf"))
    e = (v - v.max(axis=0)).exp()
    tl.store(out + row * cols + j, e / e.sum(axis=0), mask=j < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
        softmax_kernel[(rows,)](x, out, cols, *x.stride(), BLOCK=triton.next_power_of_2(cols))
        return out
