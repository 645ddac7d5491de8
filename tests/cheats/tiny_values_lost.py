"""What is below 1e-12 counts as zero.

op: relu
class: B6 small values
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    y = tl.where(v != v, v, tl.where(v > 1e-12, v, 0.0))
    tl.store(o + i, y, mask=m)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        o = torch.empty_like(x)
        k[(triton.cdiv(x.numel(), 512),)](x, o, x.numel(), BLOCK=512)
        return o
