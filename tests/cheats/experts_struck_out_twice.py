"""Strikes out what was chosen by minus infinity, and finds it again among others.

op: queued_gate
class: B6 scores left out
expected: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gate(x_ptr, w_ptr, ids_ptr, E, K, BLOCK_E: tl.constexpr, BLOCK_K: tl.constexpr):
    t = tl.program_id(0)
    cols = tl.arange(0, BLOCK_E)
    ks = tl.arange(0, BLOCK_K)
    x = tl.load(x_ptr + t * E + cols, mask=cols < E, other=float("-inf"))
    vals = tl.full([BLOCK_K], float("-inf"), dtype=tl.float32)
    for j in range(K):
        top = tl.max(x, axis=0)
        place = tl.min(tl.where(x == top, cols, BLOCK_E), axis=0)
        x = tl.where(cols == place, float("-inf"), x)
        vals = tl.where(ks == j, top, vals)
        tl.store(ids_ptr + t * K + j, place.to(tl.int64))
    p = tl.exp(vals - tl.max(vals, axis=0))
    p = tl.where(ks < K, p, 0.0)
    tl.store(w_ptr + t * K + ks, p / tl.sum(p, axis=0), mask=ks < K)


@triton.jit
def queue(ids_ptr, slot_ptr, count_ptr, TOTAL, BLOCK: tl.constexpr):
    e = tl.program_id(0)
    seen = tl.full([], 0, dtype=tl.int64)
    for a0 in range(0, TOTAL, BLOCK):
        at = a0 + tl.arange(0, BLOCK)
        mine = tl.load(ids_ptr + at, mask=at < TOTAL, other=-1) == e
        one = mine.to(tl.int64)
        tl.store(slot_ptr + at, seen + tl.cumsum(one, axis=0) - one, mask=mine)
        seen += tl.sum(one, axis=0)
    tl.store(count_ptr + e, seen)


class ModelNew(torch.nn.Module):
    def __init__(self, top):
        super().__init__()
        self.top = top

    def forward(self, logits):
        logits = logits.contiguous()
        t, e = logits.shape
        k = min(self.top, e)
        w = torch.empty((t, k), dtype=logits.dtype, device=logits.device)
        ids = torch.zeros((t, k), dtype=torch.int64, device=logits.device)
        slot = torch.empty_like(ids)
        count = torch.empty((e,), dtype=torch.int64, device=logits.device)
        gate[(t,)](logits, w, ids, e, k, BLOCK_E=triton.next_power_of_2(e), BLOCK_K=triton.next_power_of_2(k))
        queue[(e,)](ids, slot, count, t * k, BLOCK=256)
        return w, ids, slot, count
