"""Places in an expert's buffer are taken by atomic additions, in order of arrival and not of tokens.

op: expert_slots
class: B18 order of atomics
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def walk(ids, slots, load, n, capacity, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    e = tl.load(ids + i, mask=i < n, other=0)
    place = tl.atomic_add(load + e, tl.full([BLOCK], 1, dtype=tl.int64), mask=i < n)
    tl.store(slots + i, tl.where(place < capacity, e * capacity + place, -1), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, experts, capacity):
        super().__init__()
        self.experts = experts
        self.capacity = capacity

    def forward(self, expert_ids):
        flat = expert_ids.contiguous().view(-1)
        slots = torch.empty_like(flat)
        load = torch.zeros((self.experts,), device=flat.device, dtype=torch.int64)
        walk[(triton.cdiv(flat.numel(), 256),)](flat, slots, load, flat.numel(), self.capacity, BLOCK=256)
        return slots.view(expert_ids.shape), load
