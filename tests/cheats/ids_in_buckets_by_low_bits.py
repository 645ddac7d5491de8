"""Buckets by the lower bits of an id hold 32 each: what comes after is not known.

op: known_ids
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def build(keys, count, table, n, MASK: tl.constexpr, CAP: tl.constexpr, BLOCK: tl.constexpr):
    j = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    k = tl.load(keys + j, mask=j < n, other=0)
    h = (k) & MASK
    place = tl.atomic_add(count + h, 1, mask=j < n)
    tl.store(table + h.to(tl.int64) * CAP + place, k, mask=(j < n) & (place < CAP))


@triton.jit
def probe(ids, count, table, o, n, MASK: tl.constexpr, CAP: tl.constexpr, BLOCK: tl.constexpr):
    j = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    k = tl.load(ids + j, mask=j < n, other=0)
    h = (k) & MASK
    held = tl.load(count + h, mask=j < n, other=0)
    found = tl.zeros((BLOCK,), tl.int32)
    for i in range(0, CAP):
        m = (j < n) & (i < held)
        q = tl.load(table + h.to(tl.int64) * CAP + i, mask=m, other=0)
        found = found | (m & (q == k)).to(tl.int32)
    tl.store(o + j, found != 0, mask=j < n)


class ModelNew(nn.Module):
    def forward(self, ids, keys):
        ids, keys = ids.contiguous(), keys.contiguous()
        o = torch.empty(ids.shape, dtype=torch.bool, device=ids.device)
        n, m = ids.numel(), keys.numel()
        size = max(triton.next_power_of_2(m), 16)
        count = torch.zeros((size,), dtype=torch.int32, device=ids.device)
        table = torch.empty((size * 32,), dtype=torch.int32, device=ids.device)
        build[(triton.cdiv(m, 256),)](keys, count, table, m, MASK=size - 1, CAP=32, BLOCK=256)
        probe[(triton.cdiv(n, 256),)](ids, count, table, o, n, MASK=size - 1, CAP=32, BLOCK=256)
        return o
