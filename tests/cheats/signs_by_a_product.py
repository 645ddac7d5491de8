"""Asks whether two differences have one sign by their product, which is zero where both are small.

op: upwind_minmod
class: B6 legal inputs that an op file never ships
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _slope(um, u, up):
    dl = u - um
    dr = up - u
    s = tl.minimum(tl.abs(dl), tl.abs(dr))
    s = tl.where(dl * dr > 0, tl.where(dl > 0, s, -s), 0.0)
    return s


@triton.jit
def _flux(a, umm, um, u, up):
    # the face between um and u
    left = um + 0.5 * _slope(umm, um, u)
    right = u - 0.5 * _slope(um, u, up)
    return a * tl.where(a >= 0, left, right)


@triton.jit
def _step(u_ptr, a_ptr, out_ptr, N, cfl, us0, us1, as0, as1, BLOCK: tl.constexpr):
    b = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < N
    u = u_ptr + b * us0
    im1 = (i + N - 1) % N
    im2 = (im1 + N - 1) % N
    ip1 = (i + 1) % N
    ip2 = (ip1 + 1) % N
    mm = tl.load(u + im2 * us1, mask=ok, other=0.0)
    m = tl.load(u + im1 * us1, mask=ok, other=0.0)
    c = tl.load(u + i * us1, mask=ok, other=0.0)
    p = tl.load(u + ip1 * us1, mask=ok, other=0.0)
    pp = tl.load(u + ip2 * us1, mask=ok, other=0.0)
    ar = tl.load(a_ptr + b * as0 + i * as1, mask=ok, other=0.0)
    al = tl.load(a_ptr + b * as0 + im1 * as1, mask=ok, other=0.0)
    d = _flux(ar, m, c, p, pp) - _flux(al, mm, m, c, p)
    tl.store(out_ptr + b * N + i, c - cfl * d, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, cfl):
        super().__init__()
        self.cfl = cfl

    def forward(self, u, a):
        b, n = u.shape
        out = torch.empty((b, n), device=u.device, dtype=u.dtype)
        _step[(triton.cdiv(n, 256), b)](u, a, out, n, self.cfl, *u.stride(), *a.stride(), BLOCK=256)
        return out
