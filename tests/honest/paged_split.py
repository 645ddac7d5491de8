"""Flash decoding: programs for parts of pages leave maxima and sums, a second kernel merges them.

op: paged_decode
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part_kernel(
    q,
    kc,
    vc,
    table,
    lens,
    tops,
    sums,
    accs,
    heads,
    dim,
    page,
    per_seq,
    parts,
    scale,
    kp,
    kt,
    kh,
    kd,
    vp,
    vt,
    vh,
    vd,
    PAGES: tl.constexpr,
    BT: tl.constexpr,
    BD: tl.constexpr,
):
    part = tl.program_id(0)
    h = tl.program_id(1)
    b = tl.program_id(2)
    n = tl.load(lens + b).to(tl.int32)
    d = tl.arange(0, BD)
    qv = tl.load(q + (b * heads + h) * dim + d, mask=d < dim, other=0.0) * scale
    top = float("-inf")
    total = 0.0
    acc = tl.zeros((BD,), tl.float32)
    first = part * PAGES
    last = tl.minimum(tl.minimum(first + PAGES, per_seq), tl.cdiv(n, page))
    for p in range(first, last):
        number = tl.load(table + b * per_seq + p).to(tl.int64)
        for s in range(0, page, BT):
            t = s + tl.arange(0, BT)
            m = (t < page) & (p * page + t < n)
            mm = m[:, None] & (d < dim)[None, :]
            kt_ = tl.load(kc + number * kp + t[:, None] * kt + h * kh + d[None, :] * kd, mask=mm, other=0.0)
            score = tl.where(m, tl.sum(kt_ * qv[None, :], 1), float("-inf"))
            new = tl.maximum(top, tl.max(score, 0))
            safe = tl.where(new == float("-inf"), 0.0, new)
            e = tl.exp(score - safe)
            a = tl.exp(top - safe)
            vt_ = tl.load(vc + number * vp + t[:, None] * vt + h * vh + d[None, :] * vd, mask=mm, other=0.0)
            acc = acc * a + tl.sum(vt_ * e[:, None], 0)
            total = total * a + tl.sum(e, 0)
            top = new
    at = (b * heads + h) * parts + part
    tl.store(tops + at, top)
    tl.store(sums + at, total)
    tl.store(accs + at.to(tl.int64) * dim + d, acc, mask=d < dim)


@triton.jit
def merge_kernel(tops, sums, accs, out, dim, parts, BP: tl.constexpr, BD: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    p = tl.arange(0, BP)
    d = tl.arange(0, BD)
    top = tl.load(tops + row * parts + p, mask=p < parts, other=float("-inf"))
    w = tl.exp(top - tl.max(top, 0))
    total = tl.sum(w * tl.load(sums + row * parts + p, mask=p < parts, other=0.0), 0)
    m = (p < parts)[:, None] & (d < dim)[None, :]
    acc = tl.load(accs + (row * parts + p)[:, None] * dim + d[None, :], mask=m, other=0.0)
    tl.store(out + row * dim + d, tl.sum(acc * w[:, None], 0) / total, mask=d < dim)


class ModelNew(nn.Module):
    def forward(self, q, kc, vc, table, lens):
        q, table, lens = q.contiguous(), table.contiguous(), lens.contiguous()
        batch, heads, dim = q.shape
        page, per_seq = kc.shape[1], table.shape[1]
        pages = 4
        parts = triton.cdiv(per_seq, pages)
        tops = torch.empty(batch * heads * parts, dtype=torch.float32, device=q.device)
        sums = torch.empty_like(tops)
        accs = torch.empty((batch * heads * parts, dim), dtype=torch.float32, device=q.device)
        out = torch.empty_like(q)
        bd = triton.next_power_of_2(dim)
        part_kernel[(parts, heads, batch)](
            q,
            kc,
            vc,
            table,
            lens,
            tops,
            sums,
            accs,
            heads,
            dim,
            page,
            per_seq,
            parts,
            dim**-0.5,
            *kc.stride(),
            *vc.stride(),
            PAGES=pages,
            BT=16,
            BD=bd,
        )
        merge_kernel[(batch * heads,)](
            tops, sums, accs, out, dim, parts, BP=triton.next_power_of_2(parts), BD=bd
        )
        return out
