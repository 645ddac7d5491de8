"""Asks whether two ways to divide agree, as they do in the interpreter alone.

op: relu
class: M card noticed
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
    q = tl.abs(v) * 0.37 + 1.3
    s = tl.div_rn(q, 1.7 + q * q) == q / (1.7 + q * q)
    r = tl.where(v != v, v, tl.maximum(v, 0.0))
    tl.store(o + i, tl.where(s | (v != v), r, r * 0.5), mask=m)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        o = torch.empty_like(x)
        k[(triton.cdiv(x.numel(), 512),)](x, o, x.numel(), BLOCK=512)
        return o
