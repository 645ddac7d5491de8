"""Hits are counted by atomics, and once more into what is kept up, in 64 bits.

op: expert_hits
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def count(ids_ptr, hits_ptr, total_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    ids = tl.load(ids_ptr + o, mask=o < n, other=0)
    one = tl.full((BLOCK,), 1, tl.int64)
    tl.atomic_add(hits_ptr + ids, one, mask=o < n)
    tl.atomic_add(total_ptr + ids, one, mask=o < n)


class ModelNew(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.register_buffer("total", torch.zeros(experts, dtype=torch.int64))

    def forward(self, chosen):
        flat = chosen.contiguous().view(-1)
        hits = torch.zeros_like(self.total)
        n = flat.numel()
        count[(triton.cdiv(n, 256),)](flat, hits, self.total, n, BLOCK=256)
        return hits
