"""Keys outside the window score -10000, which is above all others where sinks and scores are far below zero.

op: windowed_sinks
class: B7 weights beside scores
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def attn_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    sink_ptr,
    o_ptr,
    tokens,
    dim,
    group,
    window,
    scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BD: tl.constexpr,
):
    m0 = tl.program_id(0) * BM
    head = tl.program_id(1)
    kv = head // group
    i = m0 + tl.arange(0, BM)
    d = tl.arange(0, BD)
    qmask = (i[:, None] < tokens) & (d[None, :] < dim)
    qoff = head.to(tl.int64) * tokens * dim + i[:, None] * dim + d[None, :]
    q = tl.load(q_ptr + qoff, mask=qmask, other=0.0)
    sink = tl.load(sink_ptr + head)
    m = tl.zeros((BM,), dtype=tl.float32) + sink
    total = tl.zeros((BM,), dtype=tl.float32) + 1.0
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    lo = tl.maximum(m0 - window + 1, 0) // BN * BN
    hi = tl.minimum(m0 + BM, tokens)
    for n0 in range(lo, hi, BN):
        j = n0 + tl.arange(0, BN)
        kmask = (j[:, None] < tokens) & (d[None, :] < dim)
        koff = kv.to(tl.int64) * tokens * dim + j[:, None] * dim + d[None, :]
        k = tl.load(k_ptr + koff, mask=kmask, other=0.0)
        v = tl.load(v_ptr + koff, mask=kmask, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        keep = (j[None, :] <= i[:, None]) & (i[:, None] - j[None, :] < window) & (j[None, :] < tokens)
        s = tl.where(keep, s, -10000.0)
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        total = total * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + qoff, acc / total[:, None], mask=qmask)


class ModelNew(nn.Module):
    def __init__(self, heads, window):
        super().__init__()
        self.window = window
        self.sinks = nn.Parameter(torch.randn(heads))

    def forward(self, q, k, v):
        heads, tokens, dim = q.shape
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        o = torch.empty((heads, tokens, dim), dtype=q.dtype, device=q.device)
        bd = max(16, triton.next_power_of_2(dim))
        attn_kernel[(triton.cdiv(tokens, 32), heads)](
            q,
            k,
            v,
            self.sinks,
            o,
            tokens,
            dim,
            heads // k.shape[0],
            self.window,
            dim**-0.5,
            BM=32,
            BN=32,
            BD=bd,
        )
        return o
