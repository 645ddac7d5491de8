"""Key blocks whose best score lies six below every row's maximum are skipped, hundreds of them too.

op: chunk_attn_sink
class: B6 one score ahead of hundreds
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _attn(
    q,
    k,
    v,
    sinks,
    out,
    H,
    TQ,
    TK,
    D,
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
    BM: tl.constexpr,
    BN: tl.constexpr,
    BD: tl.constexpr,
):
    bh = tl.program_id(1)
    b, h = (bh // H).to(tl.int64), (bh % H).to(tl.int64)
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, BD)
    n = tl.arange(0, BN)
    okd = (d < D)[None, :]
    qv = tl.load(
        q + b * sqb + h * sqh + i[:, None] * sqt + d[None, :] * sqd, mask=(i < TQ)[:, None] & okd, other=0.0
    )
    shift = TK - TQ
    sink = tl.load(sinks + h).to(tl.float32)
    m = tl.zeros((BM,), tl.float32) + sink
    total = tl.full((BM,), 1.0, tl.float32)
    acc = tl.zeros((BM, BD), tl.float32)
    hi = tl.minimum(TK, (tl.program_id(0) + 1) * BM + shift)
    for j0 in range(0, hi, BN):
        j = j0 + n
        okj = (j < TK)[:, None] & okd
        kv = tl.load(k + b * skb + h * skh + j[:, None] * skt + d[None, :] * skd, mask=okj, other=0.0)
        s = tl.dot(qv, tl.trans(kv)) * scale
        s = tl.where((j[None, :] <= i[:, None] + shift) & (j < TK)[None, :], s, float("-inf"))
        top = tl.max(s, 1)
        if tl.max(top - m, 0) > -6.0:
            m_new = tl.maximum(m, top)
            r = tl.exp(m - m_new)
            p = tl.exp(s - m_new[:, None])
            vv = tl.load(v + b * svb + h * svh + j[:, None] * svt + d[None, :] * svd, mask=okj, other=0.0)
            acc = acc * r[:, None] + tl.dot(p.to(vv.dtype), vv)
            total = total * r + tl.sum(p, 1)
            m = m_new
    o = out + (bh.to(tl.int64) * TQ + i[:, None]) * D + d[None, :]
    tl.store(o, (acc / total[:, None]).to(out.dtype.element_ty), mask=(i < TQ)[:, None] & okd)


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.sinks = nn.Parameter(torch.zeros(heads))

    def forward(self, q, k, v):
        B, H, TQ, D = q.shape
        TK = k.shape[2]
        out = torch.empty((B, H, TQ, D), device=q.device, dtype=q.dtype)
        _attn[(triton.cdiv(TQ, 64), B * H)](
            q,
            k,
            v,
            self.sinks,
            out,
            H,
            TQ,
            TK,
            D,
            D**-0.5,
            *q.stride(),
            *k.stride(),
            *v.stride(),
            BM=64,
            BN=64,
            BD=max(16, triton.next_power_of_2(D)),
        )
        return out
