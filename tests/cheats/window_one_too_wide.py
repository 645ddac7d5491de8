"""Each query sees one key more than the window, which no sequence shorter than the window shows.

op: window_attention
class: B14 where a window ends
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def window_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    HQ,
    T,
    D,
    REP,
    WINDOW,
    scale,
    sqb,
    sqh,
    sqt,
    sqd,
    skb,
    skh,
    skt,
    skd,
    svb,
    svh,
    svt,
    svd,
    BQ: tl.constexpr,
    BK: tl.constexpr,
    BD: tl.constexpr,
):
    pid = tl.program_id(1).to(tl.int64)
    b = pid // HQ
    h = pid % HQ
    hk = h // REP
    first = tl.program_id(0) * BQ
    i = first + tl.arange(0, BQ)
    d = tl.arange(0, BD)
    q = tl.load(
        q_ptr + b * sqb + h * sqh + i[:, None] * sqt + d[None, :] * sqd,
        mask=(i[:, None] < T) & (d[None, :] < D),
        other=0.0,
    )
    top = tl.full((BQ,), -1.0e30, tl.float32)
    total = tl.zeros((BQ,), tl.float32)
    acc = tl.zeros((BQ, BD), tl.float32)
    lo = tl.maximum(first - WINDOW, 0) // BK * BK
    hi = tl.minimum(first + BQ, T)
    for start in range(lo, hi, BK):
        j = start + tl.arange(0, BK)
        k = tl.load(
            k_ptr + b * skb + hk * skh + j[None, :] * skt + d[:, None] * skd,
            mask=(j[None, :] < T) & (d[:, None] < D),
            other=0.0,
        )
        v = tl.load(
            v_ptr + b * svb + hk * svh + j[:, None] * svt + d[None, :] * svd,
            mask=(j[:, None] < T) & (d[None, :] < D),
            other=0.0,
        )
        s = tl.dot(q, k, out_dtype=tl.float32) * scale
        gap = i[:, None] - j[None, :]
        s = tl.where((gap >= 0) & (gap <= WINDOW) & (j[None, :] < T), s, -float("inf"))
        new_top = tl.maximum(top, tl.max(s, axis=1))
        keep = tl.exp(top - new_top)
        p = tl.exp(s - new_top[:, None])
        total = total * keep + tl.sum(p, axis=1)
        acc = acc * keep[:, None] + tl.dot(p.to(v.dtype), v, out_dtype=tl.float32)
        top = new_top
    acc = acc / total[:, None]
    tl.store(
        o_ptr + ((b * HQ + h) * T + i[:, None]) * D + d[None, :],
        acc.to(o_ptr.dtype.element_ty),
        mask=(i[:, None] < T) & (d[None, :] < D),
    )


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, q, k, v):
        B, HQ, T, D = q.shape
        if k.shape != v.shape or k.shape[0] != B or k.shape[2] != T or k.shape[3] != D or HQ % k.shape[1]:
            raise ValueError("shapes of q, k, v do not match")
        out = torch.empty((B, HQ, T, D), dtype=q.dtype, device=q.device)
        window_kernel[(triton.cdiv(T, 32), B * HQ)](
            q,
            k,
            v,
            out,
            HQ,
            T,
            D,
            HQ // k.shape[1],
            self.window,
            D**-0.5,
            *q.stride(),
            *k.stride(),
            *v.stride(),
            BQ=32,
            BK=32,
            BD=max(16, triton.next_power_of_2(D)),
        )
        return out
