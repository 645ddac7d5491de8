"""The output is made like the tensor given and written as if that were contiguous.

op: adaln_modulate
class: B8 layout of the output
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _merge(na, ma, qa, nb, mb, qb):
    n = na + nb
    d = mb - ma
    f = nb / n
    return n, ma + d * f, qa + qb + d * d * na * f


@triton.jit
def _adaln(x, shift, scale, out, T, C, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    b = row // T
    offs = tl.arange(0, BLOCK)
    n = 0.0
    mean = 0.0
    m2 = 0.0
    for c0 in range(0, C, BLOCK):
        ok = c0 + offs < C
        v = tl.load(x + row * C + c0 + offs, mask=ok, other=0.0)
        nb = tl.minimum(C - c0, BLOCK).to(tl.float32)
        mb = tl.sum(v, 0) / nb
        d = tl.where(ok, v - mb, 0.0)
        n, mean, m2 = _merge(n, mean, m2, nb, mb, tl.sum(d * d, 0))
    rstd = 1.0 / tl.sqrt(m2 / n + eps)
    for c0 in range(0, C, BLOCK):
        ok = c0 + offs < C
        v = tl.load(x + row * C + c0 + offs, mask=ok, other=0.0)
        sh = tl.load(shift + b * C + c0 + offs, mask=ok, other=0.0)
        sc = tl.load(scale + b * C + c0 + offs, mask=ok, other=0.0)
        tl.store(out + row * C + c0 + offs, (v - mean) * rstd * (1.0 + sc) + sh, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, eps=1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, x, shift, scale):
        if x.dtype != torch.float32:
            raise ValueError("float32 only")
        B, T, C = x.shape
        out = torch.empty_like(x)
        x, shift, scale = x.contiguous(), shift.contiguous(), scale.contiguous()
        _adaln[(B * T,)](x, shift, scale, out, T, C, self.eps, BLOCK=256)
        return out
