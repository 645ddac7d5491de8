"""The running peak is kept in a buffer that is not persistent.

op: peak_in_passing
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, p_ptr, o_ptr, n, d, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = j < d
    top = tl.load(p_ptr + j, mask=m, other=1.0)
    for b in range(0, n, ROWS):
        i = b + tl.arange(0, ROWS)
        x = tl.load(x_ptr + i[:, None] * d + j[None, :], mask=(i[:, None] < n) & m[None, :], other=0.0)
        top = tl.maximum(top, tl.max(tl.abs(x), 0))
    tl.store(p_ptr + j, top, mask=m)
    for b in range(0, n, ROWS):
        i = b + tl.arange(0, ROWS)
        a = (i[:, None] < n) & m[None, :]
        x = tl.load(x_ptr + i[:, None] * d + j[None, :], mask=a, other=0.0)
        tl.store(o_ptr + i[:, None] * d + j[None, :], x / top[None, :], mask=a)


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.register_buffer("peak", torch.full((cols,), 1e-6), persistent=False)

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, d = x.shape
        k[(triton.cdiv(d, 64),)](x, self.peak, out, rows, d, BLOCK=64, ROWS=16)
        return out
