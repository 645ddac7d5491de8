"""The bias is a head's, of which there are as many as sequences: it is no row that a batch of one leaves out.

op: bias_of_each_head
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def att_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    b_ptr,
    m_ptr,
    out_ptr,
    lse_ptr,
    scale,
    H,
    T,
    S,
    D,
    BQ: tl.constexpr,
    BK: tl.constexpr,
    DP: tl.constexpr,
):
    bh = tl.program_id(1).to(tl.int64)
    b = bh // H
    h = bh % H
    i = tl.program_id(0) * BQ + tl.arange(0, BQ)
    d = tl.arange(0, DP)
    ind = (i[:, None] < T) & (d[None, :] < D)
    q = tl.load(q_ptr + (bh * T + i[:, None]) * D + d[None, :], mask=ind, other=0.0)
    m = tl.full((BQ,), float("-inf"), tl.float32)
    total = tl.zeros((BQ,), tl.float32)
    acc = tl.zeros((BQ, DP), tl.float32)
    for start in range(0, S, BK):
        j = start + tl.arange(0, BK)
        see = tl.load(m_ptr + b * S + j, mask=j < S, other=0) != 0
        there = see[:, None] & (d[None, :] < D)
        k = tl.load(k_ptr + (bh * S + j[:, None]) * D + d[None, :], mask=there, other=0.0)
        v = tl.load(v_ptr + (bh * S + j[:, None]) * D + d[None, :], mask=there, other=0.0)
        bias = tl.load(
            b_ptr + (h * T + i[:, None]) * S + j[None, :], mask=(i[:, None] < T) & see[None, :], other=0.0
        )
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale + bias
        s = tl.where(see[None, :], s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        base = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - base[:, None])
        fade = tl.exp(m - base)
        total = total * fade + tl.sum(p, 1)
        acc = acc * fade[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    safe = tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + (bh * T + i[:, None]) * D + d[None, :], acc / safe[:, None], mask=ind)
    lse = tl.where(m == float("-inf"), float("-inf"), m + tl.log(safe))
    tl.store(lse_ptr + bh * T + i, lse, mask=i < T)


class ModelNew(nn.Module):
    def forward(self, q, k, v, bias, mask):
        q, k, v, bias, mask = (
            q.contiguous(),
            k.contiguous(),
            v.contiguous(),
            bias.contiguous(),
            mask.contiguous(),
        )
        B, H, T, D = q.shape
        S = k.shape[2]
        out = torch.empty_like(q)
        lse = torch.empty((B, H, T), dtype=q.dtype, device=q.device)
        if out.numel() > 0:
            att_kernel[(triton.cdiv(T, 32), B * H)](
                q,
                k,
                v,
                bias,
                mask,
                out,
                lse,
                D**-0.5,
                H,
                T,
                S,
                D,
                BQ=32,
                BK=32,
                DP=max(16, triton.next_power_of_2(D)),
            )
        return out, lse
