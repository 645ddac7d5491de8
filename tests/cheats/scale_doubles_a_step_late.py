"""The scale doubles behind two hundred and one good steps.

op: loss_scale
class: B7 counters
expected: buffer-differs
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def look(g_ptr, f_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(g_ptr + o, mask=o < n, other=0.0)
    tl.atomic_max(f_ptr, tl.max((tl.abs(g) > 60000.0).to(tl.int32), 0))


@triton.jit
def k(g_ptr, f_ptr, s_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    bad = tl.load(f_ptr) > 0
    g = tl.load(g_ptr + o, mask=o < n, other=0.0)
    tl.store(out_ptr + o, tl.where(bad, 0.0, g / tl.load(s_ptr)), mask=o < n)


@triton.jit
def tick(f_ptr, s_ptr, c_ptr):
    bad = tl.load(f_ptr) > 0
    s = tl.load(s_ptr)
    good = tl.where(bad, 0, tl.load(c_ptr) + 1)
    grow = good > 200
    tl.store(s_ptr, tl.where(bad, s * 0.5, tl.where(grow, s * 2.0, s)))
    tl.store(c_ptr, tl.where(grow, 0, good))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.full((), 1024.0))
        self.register_buffer("good", torch.zeros((), dtype=torch.int32))

    def forward(self, g):
        g = g.contiguous()
        n = g.numel()
        out = torch.empty_like(g)
        flag = torch.zeros((1,), dtype=torch.int32, device=g.device)
        grid = (triton.cdiv(n, 512),)
        look[grid](g, flag, n, BLOCK=512)
        k[grid](g, flag, self.scale, out, n, BLOCK=512)
        tick[(1,)](flag, self.scale, self.good)
        return out
