"""Beyond 1e20 another form is taken, and from 1.8e19 on squares are infinite.

op: scaled_asinh
class: B6 any size
expected: non-finite
"""

import math

import torch
import triton
import triton.language as tl
from torch import nn

LN2 = tl.constexpr(math.log(2))


@triton.jit
def k(x_ptr, scale_ptr, o_ptr, n, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside, other=0.0)
    scale = tl.load(scale_ptr + i % columns, mask=inside, other=0.0)
    size = tl.abs(x)
    far = size > 1e20
    near = tl.where(far, 0.0, size)
    less = near + near * near / (1.0 + tl.sqrt(near * near + 1.0))
    one = 1.0 + less
    log = tl.where(one == 1.0, less, tl.log(one) * (less / tl.where(one == 1.0, 1.0, one - 1.0)))
    out = tl.where(far, tl.log(tl.where(far, size, 1.0)) + LN2, log)
    out = tl.where(x < 0, -out, tl.where(size > 0, out, x))
    tl.store(o_ptr + i, out * scale, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(cols) + 0.5)

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        k[(triton.cdiv(n, 512),)](x, self.scale, out, n, x.shape[-1], BLOCK=512)
        return out
