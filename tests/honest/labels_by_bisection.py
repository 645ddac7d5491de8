"""Bisection over offsets, with as many rounds as their number has bits.

op: packed_labels
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _bisect(
    tok_ptr,
    cu_ptr,
    place_ptr,
    seg_ptr,
    lab_ptr,
    T,
    B,
    st,
    sc,
    ignore,
    ROUNDS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    t = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    ok = t < T
    lo = tl.zeros([BLOCK], tl.int32)
    hi = tl.full([BLOCK], 0, tl.int32) + B
    for _ in range(ROUNDS):
        mid = (lo + hi) // 2
        open_ = lo < hi
        end = tl.load(cu_ptr + (mid + 1) * sc, mask=open_, other=0)
        right = open_ & (end <= t)
        hi = tl.where(open_ & (end > t), mid, hi)
        lo = tl.where(right, mid + 1, lo)
    valid = ok & (lo < B)
    start = tl.load(cu_ptr + lo * sc, mask=valid, other=0)
    stop = tl.load(cu_ptr + (lo + 1) * sc, mask=valid, other=0)
    more = valid & (t + 1 < stop)
    tl.store(place_ptr + t, tl.where(valid, t - start, 0), mask=ok)
    tl.store(seg_ptr + t, tl.where(valid, lo, -1).to(tl.int64), mask=ok)
    nxt = tl.load(tok_ptr + (t + 1) * st, mask=more, other=0)
    tl.store(lab_ptr + t, tl.where(more, nxt, ignore), mask=ok)


class ModelNew(torch.nn.Module):
    def __init__(self, ignore):
        super().__init__()
        self.ignore = ignore

    def forward(self, tokens, cu):
        n, b = tokens.numel(), cu.numel() - 1
        place, seg, lab = (torch.empty(n, device=tokens.device, dtype=torch.int64) for _ in range(3))
        _bisect[(triton.cdiv(n, 512),)](
            tokens,
            cu,
            place,
            seg,
            lab,
            n,
            b,
            tokens.stride(0),
            cu.stride(0),
            self.ignore,
            ROUNDS=b.bit_length() + 1,
            BLOCK=512,
        )
        return place, seg, lab
