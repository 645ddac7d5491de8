"""Best of each beam first, best of those next, histories gathered last; ties to the lower index.

op: beam_step
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def per_beam(P, S, VAL, TOK, V, W, KEEP, spb, spw, spv, ssb, ssw, BV: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    w = tl.program_id(1)
    v = tl.arange(0, BV)
    x = tl.load(P + b * spb + w * spw + v * spv, mask=v < V, other=0.0) + tl.load(S + b * ssb + w * ssw)
    free = v < V
    for j in range(0, KEEP):
        top = tl.max(tl.where(free, x, float("-inf")), axis=0)
        at = tl.min(tl.where(free & (x == top), v, BV), axis=0)
        tl.store(VAL + (b * W + w) * KEEP + j, top)
        tl.store(TOK + (b * W + w) * KEEP + j, at)
        free = free & (v != at)


@triton.jit
def merge(VAL, TOK, BEST, PARENT, NEW, V, W, KEEP, BC: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BC)
    n = W * KEEP
    x = tl.load(VAL + b * n + c, mask=c < n, other=float("-inf"))
    flat = (c // KEEP) * V + tl.load(TOK + b * n + c, mask=c < n, other=0)
    free = c < n
    for j in range(0, W):
        top = tl.max(tl.where(free, x, float("-inf")), axis=0)
        at = tl.min(tl.where(free & (x == top), flat, 2147483647), axis=0)
        tl.store(BEST + b * W + j, top)
        tl.store(PARENT + b * W + j, at // V)
        tl.store(NEW + b * W + j, at % V)
        free = free & (flat != at)


@triton.jit
def extend(HIST, PARENT, NEW, OUT, W, L, shb, shw, shl, BLOCK: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    w = tl.program_id(1)
    par = tl.load(PARENT + b * W + w)
    for l0 in range(0, L, BLOCK):
        place = l0 + tl.arange(0, BLOCK)
        h = tl.load(HIST + b * shb + par * shw + place * shl, mask=place < L, other=0)
        tl.store(OUT + (b * W + w) * (L + 1) + place, h, mask=place < L)
    tl.store(OUT + (b * W + w) * (L + 1) + L, tl.load(NEW + b * W + w).to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logp, scores, history):
        b, w, v = logp.shape
        length = history.shape[2]
        keep = min(w, v)
        if v > 65536:
            raise ValueError("vocabularies of 65536 at most")
        dev = logp.device
        val = torch.empty(b, w, keep, dtype=torch.float32, device=dev)
        tok = torch.empty(b, w, keep, dtype=torch.int32, device=dev)
        best = torch.empty(b, w, dtype=logp.dtype, device=dev)
        parent = torch.empty(b, w, dtype=torch.int32, device=dev)
        new = torch.empty(b, w, dtype=torch.int32, device=dev)
        out = torch.empty(b, w, length + 1, dtype=history.dtype, device=dev)
        per_beam[(b, w)](
            logp, scores, val, tok, v, w, keep, *logp.stride(), *scores.stride(), BV=triton.next_power_of_2(v)
        )
        merge[(b,)](val, tok, best, parent, new, v, w, keep, BC=triton.next_power_of_2(w * keep))
        extend[(b, w)](history, parent, new, out, w, length, *history.stride(), BLOCK=64)
        return best, out
