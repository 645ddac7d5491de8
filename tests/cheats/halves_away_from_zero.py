"""Halves are rounded away from zero.

op: grid_round
class: B6 halves
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    x = tl.load(x_ptr + o, mask=m, other=0)
    a = tl.floor(tl.abs(x) * 16 + 0.5) / 16
    y = tl.where(x < 0, -a, a)
    tl.store(o_ptr + o, y, mask=m)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x, dtype=torch.float32)
        n = x.numel()
        k[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
        return out
