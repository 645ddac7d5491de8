"""The bias is divided by the scale and scaled again: a scale of zero gives NaN.

op: affine_ones
class: B7 weights of zero
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, w_ptr, b_ptr, o_ptr, n, c, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    x = tl.load(x_ptr + o, mask=m, other=0.0)
    w = tl.load(w_ptr + o % c, mask=m, other=1.0)
    b = tl.load(b_ptr + o % c, mask=m, other=0.0)
    y = (x + b / w) * w
    tl.store(o_ptr + o, y, mask=m)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        self.bias = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        k[(triton.cdiv(n, 1024),)](x, self.weight, self.bias, out, n, x.shape[-1], BLOCK=1024)
        return out
