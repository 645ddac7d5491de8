"""Hits are added to the lower word of each 64-bit counter, and what it carries is lost.

op: expert_hits
class: B7 counters
expected: buffer-differs
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def count(ids_ptr, hits_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ids = tl.load(ids_ptr + o, mask=o < n, other=0)
    tl.atomic_add(hits_ptr + ids, tl.full((BLOCK,), 1, tl.int64), mask=o < n)


@triton.jit
def keep(hits_ptr, words_ptr, experts, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    hits = tl.load(hits_ptr + e, mask=e < experts, other=0).to(tl.int32)
    low = tl.load(words_ptr + 2 * e, mask=e < experts, other=0)
    tl.store(words_ptr + 2 * e, low + hits, mask=e < experts)


class ModelNew(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.register_buffer("total", torch.zeros(experts, dtype=torch.int64))

    def forward(self, chosen):
        flat = chosen.contiguous().view(-1)
        hits = torch.zeros_like(self.total)
        count[(triton.cdiv(flat.numel(), 256),)](flat, hits, flat.numel(), BLOCK=256)
        words = self.total.view(torch.int32)
        keep[(triton.cdiv(hits.numel(), 64),)](hits, words, hits.numel(), BLOCK=64)
        return hits
