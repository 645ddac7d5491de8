"""Experts by how many are ahead of each, and queues by how many came before.

op: queued_gate
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gate(x_ptr, w_ptr, ids_ptr, E, K, BLOCK_E: tl.constexpr, STEP: tl.constexpr):
    t = tl.program_id(0)
    cols = tl.arange(0, BLOCK_E)
    ok = cols < E
    x = tl.load(x_ptr + t * E + cols, mask=ok, other=float("-inf"))
    rank = tl.zeros([BLOCK_E], dtype=tl.int32)
    for o0 in range(0, E, STEP):
        other = o0 + tl.arange(0, STEP)
        y = tl.load(x_ptr + t * E + other, mask=other < E, other=float("-inf"))
        ahead = (y[:, None] > x[None, :]) | ((y[:, None] == x[None, :]) & (other[:, None] < cols[None, :]))
        rank += tl.sum((ahead & (other < E)[:, None]).to(tl.int32), axis=0)
    chosen = ok & (rank < K)
    p = tl.exp(x - tl.max(x, axis=0))
    p = tl.where(chosen, p, 0.0)
    tl.store(w_ptr + t * K + rank, p / tl.sum(p, axis=0), mask=chosen)
    tl.store(ids_ptr + t * K + rank, cols.to(tl.int64), mask=chosen)


@triton.jit
def place(ids_ptr, slot_ptr, count_ptr, TOTAL, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    ok = at < TOTAL
    mine = tl.load(ids_ptr + at, mask=ok, other=-1)
    before = tl.zeros([BLOCK], dtype=tl.int64)
    for o0 in range(0, (pid + 1) * BLOCK, BLOCK):
        other = o0 + tl.arange(0, BLOCK)
        ids = tl.load(ids_ptr + other, mask=other < TOTAL, other=-2)
        same = (ids[:, None] == mine[None, :]) & (other[:, None] < at[None, :])
        before += tl.sum(same.to(tl.int64), axis=0)
    tl.store(slot_ptr + at, before, mask=ok)
    tl.atomic_add(count_ptr + mine, tl.full([BLOCK], 1, dtype=tl.int64), mask=ok)


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
        count = torch.zeros((e,), dtype=torch.int64, device=logits.device)
        gate[(t,)](logits, w, ids, e, k, BLOCK_E=triton.next_power_of_2(e), STEP=16)
        place[(triton.cdiv(t * k, 64),)](ids, slot, count, t * k, BLOCK=64)
        return w, ids, slot, count
