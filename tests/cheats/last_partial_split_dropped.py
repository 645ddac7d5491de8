"""Split decoding attention whose number of splits is rounded down.

op: gqa_decode_lengths
class: B8 the last of a full length
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    len_ptr,
    pm_ptr,
    pl_ptr,
    pa_ptr,
    heads,
    kv_heads,
    cache,
    hd,
    scale,
    splits,
    BN: tl.constexpr,
    BD: tl.constexpr,
):
    bh = tl.program_id(0)
    sp = tl.program_id(1)
    b = bh // heads
    kh = (bh % heads) // (heads // kv_heads)
    n = tl.load(len_ptr + b)
    rd = tl.arange(0, BD)
    rn = sp * BN + tl.arange(0, BN)
    ok = (rn < n) & (rn < cache)
    q = tl.load(q_ptr + bh * hd + rd, mask=rd < hd, other=0.0)
    offs = ((b * cache + rn[:, None]) * kv_heads + kh) * hd + rd[None, :]
    m = ok[:, None] & (rd[None, :] < hd)
    k = tl.load(k_ptr + offs, mask=m, other=0.0)
    v = tl.load(v_ptr + offs, mask=m, other=0.0)
    s = tl.sum(k * q[None, :], axis=1) * scale
    s = tl.where(ok, s, float("-inf"))
    top = tl.max(s, axis=0)
    ref = tl.where(top == float("-inf"), 0.0, top)
    p = tl.exp(s - ref)
    at = bh * splits + sp
    tl.store(pm_ptr + at, top)
    tl.store(pl_ptr + at, tl.sum(p, axis=0))
    tl.store(pa_ptr + at * hd + rd, tl.sum(p[:, None] * v, axis=0), mask=rd < hd)


@triton.jit
def combine_kernel(
    pm_ptr, pl_ptr, pa_ptr, len_ptr, o_ptr, heads, hd, splits, SB: tl.constexpr, BD: tl.constexpr
):
    bh = tl.program_id(0)
    n = tl.load(len_ptr + bh // heads)
    rs = tl.arange(0, SB)
    rd = tl.arange(0, BD)
    m = tl.load(pm_ptr + bh * splits + rs, mask=rs < splits, other=float("-inf"))
    sums = tl.load(pl_ptr + bh * splits + rs, mask=rs < splits, other=0.0)
    a = tl.load(
        pa_ptr + (bh * splits + rs[:, None]) * hd + rd[None, :],
        mask=(rs[:, None] < splits) & (rd[None, :] < hd),
        other=0.0,
    )
    top = tl.max(m, axis=0)
    ref = tl.where(top == float("-inf"), 0.0, top)
    w = tl.exp(m - ref)
    o = tl.sum(w[:, None] * a, axis=0) / tl.sum(w * sums, axis=0)
    o = tl.where(n > 0, o, 0.0)
    tl.store(o_ptr + bh * hd + rd, o, mask=rd < hd)


class ModelNew(nn.Module):
    def __init__(self, head_dim):
        super().__init__()
        self.scale = head_dim**-0.5

    def forward(self, q, k, v, lengths):
        q, k, v, lengths = q.contiguous(), k.contiguous(), v.contiguous(), lengths.contiguous()
        B, H, D = q.shape
        S, HK = k.shape[1], k.shape[2]
        splits = max(1, S // 64)
        BD = triton.next_power_of_2(D)
        pm = torch.empty((B * H, splits), dtype=torch.float32, device=q.device)
        pl = torch.empty_like(pm)
        pa = torch.empty((B * H, splits, D), dtype=torch.float32, device=q.device)
        o = torch.empty_like(q)
        part_kernel[(B * H, splits)](
            q, k, v, lengths, pm, pl, pa, H, HK, S, D, self.scale, splits, BN=64, BD=BD
        )
        combine_kernel[(B * H,)](
            pm, pl, pa, lengths, o, H, D, splits, SB=triton.next_power_of_2(splits), BD=BD
        )
        return o
