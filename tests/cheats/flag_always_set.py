"""The flag is never read.

op: gated_by_flag
class: B7 baked number
expected: stale-output
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
    tl.store(o_ptr + o, tl.where(x > 0, x, x * 0.0), mask=m)


class ModelNew(nn.Module):
    def forward(self, x, flag):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        k[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
        return out
