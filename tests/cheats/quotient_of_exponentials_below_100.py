"""A quotient of exponentials gives way to one beyond 100, and is none from 88.7 on.

op: gated_softplus
class: B6 spread exponents
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside, other=0.0)
    y = tl.load(y_ptr + i, mask=inside, other=0.0)
    e = tl.exp(-tl.abs(x))
    one = 1.0 + e
    log = tl.where(one == 1.0, e, tl.log(one) * (e / tl.where(one == 1.0, 1.0, one - 1.0)))
    e = tl.exp(y)
    out = (tl.maximum(x, 0.0) + log) * tl.where(y > 100.0, 1.0, e / (1.0 + e))
    tl.store(o_ptr + i, out, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        k[(triton.cdiv(n, 512),)](x, y, out, n, BLOCK=512)
        return out
