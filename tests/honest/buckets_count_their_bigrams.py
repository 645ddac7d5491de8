"""Every program owns a block of buckets and counts the pairs that fall into it.

op: hashed_bigrams
class: no atomics, owner counts
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def hash_pair(first, second, buckets):
    key = (first * 31 + second) % buckets
    return tl.where(key < 0, key + buckets, key)


@triton.jit
def bigram_owner(ids, lengths, counts, si, st, buckets, BB: tl.constexpr, BT: tl.constexpr):
    b = tl.program_id(0)
    mine = tl.program_id(1) * BB + tl.arange(0, BB)
    pairs = tl.load(lengths + b).to(tl.int32) - 1
    acc = tl.zeros((BB,), tl.int64)
    for s in range(0, pairs, BT):
        i = s + tl.arange(0, BT)
        ok = i < pairs
        first = tl.load(ids + b * si + i * st, mask=ok, other=0)
        second = tl.load(ids + b * si + (i + 1) * st, mask=ok, other=0)
        hit = (hash_pair(first, second, buckets)[:, None] == mine[None, :]) & ok[:, None]
        acc += tl.sum(hit.to(tl.int64), 0)
    tl.store(counts + b * buckets + mine, acc, mask=mine < buckets)


class ModelNew(torch.nn.Module):
    def __init__(self, buckets):
        super().__init__()
        self.buckets = buckets

    def forward(self, ids, lengths):
        batch = ids.shape[0]
        counts = torch.empty((batch, self.buckets), dtype=torch.int64, device=ids.device)
        bigram_owner[(batch, triton.cdiv(self.buckets, 32))](
            ids, lengths.contiguous(), counts, ids.stride(0), ids.stride(1), self.buckets, BB=32, BT=32
        )
        return counts
