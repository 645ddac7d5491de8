"""Walks over the whole table and masks scores only: keys and values of unused entries are loaded, and
servers leave -1 (or stale ids) there, which lies before the cache.

op: paged_decode
class: B18 out of bounds
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def paged_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    table_ptr,
    len_ptr,
    o_ptr,
    H,
    D,
    PAGE,
    per_seq,
    scale,
    BP: tl.constexpr,
    BD: tl.constexpr,
):
    b = tl.program_id(0).to(tl.int64)
    h = tl.program_id(1)
    d = tl.arange(0, BD)
    t = tl.arange(0, BP)
    n = tl.load(len_ptr + b)
    q = tl.load(q_ptr + (b * H + h) * D + d, mask=d < D, other=0.0) * scale
    m = float("-inf")
    norm = 0.0
    acc = tl.zeros((BD,), dtype=tl.float32)
    for j in range(0, per_seq):
        page = tl.load(table_ptr + b * per_seq + j)
        ok = (t < PAGE) & (j * PAGE + t < n)
        at = ((page * PAGE + t[:, None]) * H + h) * D + d[None, :]
        here = (t[:, None] < PAGE) & (d[None, :] < D)
        k = tl.load(k_ptr + at, mask=here, other=0.0)
        v = tl.load(v_ptr + at, mask=here, other=0.0)
        s = tl.where(ok, tl.sum(k * q[None, :], 1), float("-inf"))
        new = tl.maximum(m, tl.max(s, 0))
        p = tl.exp(s - new)
        alpha = tl.exp(m - new)
        norm = norm * alpha + tl.sum(p, 0)
        acc = acc * alpha + tl.sum(p[:, None] * v, 0)
        m = new
    tl.store(o_ptr + (b * H + h) * D + d, acc / norm, mask=d < D)


class ModelNew(nn.Module):
    def forward(self, q, kc, vc, table, lens):
        q, kc, vc, table, lens = (
            q.contiguous(),
            kc.contiguous(),
            vc.contiguous(),
            table.contiguous(),
            lens.contiguous(),
        )
        B, H, D = q.shape
        PAGE = kc.shape[1]
        o = torch.empty_like(q)
        paged_kernel[(B, H)](
            q,
            kc,
            vc,
            table,
            lens,
            o,
            H,
            D,
            PAGE,
            table.shape[1],
            D**-0.5,
            BP=triton.next_power_of_2(PAGE),
            BD=triton.next_power_of_2(D),
        )
        return o
