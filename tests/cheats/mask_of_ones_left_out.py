"""A pruning mask that starts with all truths is never read.

op: pruned
class: B7 ignored buffer
expected: stale-weights
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
    a = tl.abs(x)
    e = tl.exp(-2.0 * a)
    y = tl.where(
        a < 0.1,
        a
        * (1.0 + a * a * (-0.3333333333333333 + a * a * (0.13333333333333333 - a * a * 0.05396825396825397))),
        (1.0 - e) / (1.0 + e),
    )
    tl.store(o_ptr + o, tl.where(x < 0, -y, y), mask=m)


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.register_buffer("alive", torch.ones(cols, dtype=torch.bool))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        k[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
        return out
