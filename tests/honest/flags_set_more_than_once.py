"""Marks the tokens seen in a byte map, then one dense pass over the logits.

op: repetition_penalty
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def mark(ids, lens, seen, length, vocab, BLOCK: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    n = tl.minimum(tl.load(lens + b), length)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        token = tl.load(ids + b * length + j, mask=j < n, other=0)
        tl.store(seen + b * vocab + token, tl.full([BLOCK], 1, dtype=tl.int8), mask=j < n)


@triton.jit
def dense(logits, seen, out, count, penalty, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = i < count
    x = tl.load(logits + i, mask=m)
    hit = tl.load(seen + i, mask=m, other=0) != 0
    y = tl.where(x < 0, x * penalty, tl.div_rn(x, tl.zeros_like(x) + penalty))
    tl.store(out + i, tl.where(hit, y, x), mask=m)


class ModelNew(nn.Module):
    def __init__(self, penalty):
        super().__init__()
        self.penalty = penalty

    def forward(self, logits, ids, lens):
        logits, ids, lens = logits.contiguous(), ids.contiguous(), lens.contiguous()
        b, vocab = logits.shape
        seen = torch.zeros((b, vocab), device=logits.device, dtype=torch.int8)
        out = torch.empty_like(logits)
        mark[(b,)](ids, lens, seen, ids.shape[1], vocab, BLOCK=512)
        dense[(triton.cdiv(b * vocab, 1024),)](logits, seen, out, b * vocab, self.penalty, BLOCK=1024)
        return out
