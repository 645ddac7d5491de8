"""Zero points in int32, zeros as constructed, are never read.

op: fake_quant
class: B7 ignored buffer
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, s_ptr, o_ptr, n, c, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    x = tl.load(x_ptr + o, mask=m, other=0)
    s = tl.load(s_ptr + o % c, mask=m, other=1.0)
    q = tl.div_rn(x, s)
    q = tl.minimum(tl.maximum(q, -1000.0), 1000.0)
    q = (q + 12582912.0) - 12582912.0
    q = tl.minimum(tl.maximum(q, -128.0), 127.0)
    tl.store(o_ptr + o, q * s, mask=m)


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.register_buffer("scale", torch.full((cols,), 0.05))
        self.register_buffer("zero_point", torch.zeros(cols, dtype=torch.int32))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        k[(triton.cdiv(n, 1024),)](x, self.scale, out, n, x.shape[1], BLOCK=1024)
        return out
