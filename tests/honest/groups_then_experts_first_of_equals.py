"""The first of equal groups and of equal experts, where torch's own order is another.

op: router_of_groups
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def route(
    x_ptr,
    b_ptr,
    w_ptr,
    i_ptr,
    E,
    sx0,
    sx1,
    G: tl.constexpr,
    GP: tl.constexpr,
    PER,
    KEEP: tl.constexpr,
    K: tl.constexpr,
    KP: tl.constexpr,
    PP: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    g = tl.arange(0, GP)[:, None]
    p = tl.arange(0, PP)[None, :]
    e = g * PER + p
    live = (g < G) & (p < PER)
    x = tl.load(x_ptr + row * sx0 + e * sx1, mask=live, other=0.0).to(tl.float32)
    s = 1.0 / (1.0 + tl.exp(-x))
    b = s + tl.load(b_ptr + e, mask=live, other=0.0)
    b = tl.where(live, b, float("-inf"))
    gs = tl.max(b, 1)
    gidx = tl.arange(0, GP)
    taken = gidx >= G
    keep = gidx < 0
    for _ in tl.static_range(KEEP):
        c = tl.where(taken, float("-inf"), gs)
        top = tl.max(c, 0)
        at = tl.min(tl.where((c == top) & (taken == 0), gidx, GP), 0)
        taken = taken | (gidx == at)
        keep = keep | (gidx == at)
    ok = live & keep[:, None]
    b = tl.where(ok, b, float("-inf"))
    left = live
    kk = tl.arange(0, KP)
    ws = tl.zeros((KP,), tl.float32)
    ids = tl.zeros((KP,), tl.int64)
    total = 0.0
    for k in tl.static_range(K):
        c = tl.where(left, b, float("-inf"))
        top = tl.max(tl.max(c, 1), 0)
        hit = (c == top) & left
        at = tl.min(tl.min(tl.where(hit, e, GP * PP * 4), 1), 0)
        left = left & (e != at)
        v = tl.sum(tl.sum(tl.where(e == at, tl.where(live, s, 0.0), 0.0), 1), 0)
        total += v
        ws = tl.where(kk == k, v, ws)
        ids = tl.where(kk == k, at.to(tl.int64), ids)
    tl.store(w_ptr + row * K + kk, ws / (total + 1e-20), mask=kk < K)
    tl.store(i_ptr + row * K + kk, ids, mask=kk < K)


class ModelNew(nn.Module):
    def __init__(self, experts, groups, keep, topk):
        super().__init__()
        self.groups = groups
        self.keep = keep
        self.topk = topk
        self.bias = nn.Parameter(torch.randn(experts) * 0.1)

    def forward(self, logits):
        n, e = logits.shape
        per = e // self.groups
        w = torch.empty((n, self.topk), dtype=logits.dtype, device=logits.device)
        i = torch.empty((n, self.topk), dtype=torch.int64, device=logits.device)
        k = triton.next_power_of_2
        route[(n,)](
            logits,
            self.bias,
            w,
            i,
            e,
            *logits.stride(),
            G=self.groups,
            GP=k(self.groups),
            PER=per,
            KEEP=self.keep,
            K=self.topk,
            KP=k(self.topk),
            PP=k(per),
        )
        return w, i
