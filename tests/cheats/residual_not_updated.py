"""The residual stream is read and never updated in place.

op: add_rms_in_place
class: B4 what is changed in place
expected: input-differs
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, r_ptr, w_ptr, o_ptr, d, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    m = j < d
    x = tl.load(x_ptr + row * d + j, mask=m, other=0.0)
    r = tl.load(r_ptr + row * d + j, mask=m, other=0.0)
    w = tl.load(w_ptr + j, mask=m, other=0.0)
    s = x + r
    y = s * tl.rsqrt(tl.sum(s * s, 0) / d + 1e-6) * w
    tl.store(o_ptr + row * d + j, y, mask=m)


class ModelNew(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x, residual):
        x, residual = x.contiguous(), residual.contiguous()
        out = torch.empty_like(x)
        n, d = x.shape
        k[(n,)](x, residual, self.weight, out, d, BLOCK=triton.next_power_of_2(d))
        return out
