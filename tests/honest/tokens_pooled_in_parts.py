"""The weighted sum of each part, what its weights are taken beside and their sum stand in float32.

op: tokens_pooled_by_score
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part_kernel(x_ptr, s_ptr, a_ptr, m_ptr, l_ptr, T, D, NS, BT: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    sp = tl.program_id(1)
    t = sp * BT + tl.arange(0, BT)
    s = tl.load(s_ptr + b * T + t, mask=t < T, other=float("-inf")).to(tl.float32)
    m = tl.max(s, 0)
    p = tl.exp(s - m)
    tl.store(m_ptr + b * NS + sp, m)
    tl.store(l_ptr + b * NS + sp, tl.sum(p, 0))
    for start in range(0, D, BD):
        d = start + tl.arange(0, BD)
        x = tl.load(
            x_ptr + (b * T + t[:, None]) * D + d[None, :], mask=(t[:, None] < T) & (d[None, :] < D), other=0.0
        ).to(tl.float32)
        a = tl.sum(p[:, None] * x, 0)
        tl.store(a_ptr + (b * NS + sp) * D + d, a.to(a_ptr.dtype.element_ty), mask=d < D)


@triton.jit
def join_kernel(a_ptr, m_ptr, l_ptr, o_ptr, D, NS, BD: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    m = tl.full((), float("-inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    acc = tl.zeros((BD,), tl.float32)
    for sp in range(0, NS):
        part_top = tl.load(m_ptr + b * NS + sp)
        new = tl.maximum(m, part_top)
        f = tl.exp(m - new)
        g = tl.exp(part_top - new)
        total = total * f + g * tl.load(l_ptr + b * NS + sp)
        acc = acc * f + g * tl.load(a_ptr + (b * NS + sp) * D + d, mask=d < D, other=0.0).to(tl.float32)
        m = new
    tl.store(o_ptr + b * D + d, (acc / total).to(o_ptr.dtype.element_ty), mask=d < D)


class ModelNew(nn.Module):
    def forward(self, x, score):
        x, score = x.contiguous(), score.contiguous()
        B, T, D = x.shape
        NS = max(triton.cdiv(T, 64), 1)
        out = torch.empty((B, D), dtype=x.dtype, device=x.device)
        a = torch.empty((B, NS, D), dtype=torch.float32, device=x.device)
        m = torch.empty((B, NS), dtype=torch.float32, device=x.device)
        total = torch.empty((B, NS), dtype=torch.float32, device=x.device)
        if out.numel() > 0:
            part_kernel[(B, NS)](x, score, a, m, total, T, D, NS, BT=64, BD=32)
            join_kernel[(B, triton.cdiv(D, 32))](a, m, total, out, D, NS, BD=32)
        return out
