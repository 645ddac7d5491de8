"""The epsilon is added to the root of the moment before that is corrected.

op: adam_in_place
class: B6 legal inputs that an op file never ships
expected: input-differs
"""

import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(p_ptr, g_ptr, m_ptr, v_ptr, s_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = o < n
    t = (tl.load(s_ptr) + 1).to(tl.float32)
    c1 = 1.0 - tl.extra.cuda.libdevice.pow(0.9, t)
    c2 = 1.0 - tl.extra.cuda.libdevice.pow(0.999, t)
    p = tl.load(p_ptr + o, mask=mask)
    g = tl.load(g_ptr + o, mask=mask)
    m = tl.load(m_ptr + o, mask=mask) * 0.9 + g * 0.1
    v = tl.load(v_ptr + o, mask=mask) * 0.999 + g * g * 0.001
    u = (m / c1) * tl.sqrt_rn(c2) / (tl.sqrt_rn(v) + 1e-8)
    tl.store(p_ptr + o, p - 0.001 * u, mask=mask)
    tl.store(m_ptr + o, m, mask=mask)
    tl.store(v_ptr + o, v, mask=mask)


@triton.jit
def tick(s_ptr):
    tl.store(s_ptr, tl.load(s_ptr) + 1)


class ModelNew(nn.Module):
    def forward(self, p, g, m, v, step):
        if not (p.is_contiguous() and m.is_contiguous() and v.is_contiguous()):
            raise ValueError("p, m and v must be contiguous")
        g = g.contiguous()
        n = p.numel()
        k[(triton.cdiv(n, 512),)](p, g, m, v, step, n, BLOCK=512)
        tick[(1,)](step)
        return p
