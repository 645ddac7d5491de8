"""Repetition penalty that reads at most 64 tokens of history.

op: penalty_of_seen
class: B8 names beyond what is read
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def penalty_kernel(x_ptr, s_ptr, o_ptr, vocab, history, sxb, sxv, ssb, sst, penalty, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + b * sxb + cols * sxv, mask=cols < vocab, other=0.0)
    hit = cols < 0
    for t in range(min(history, 64)):
        hit = hit | (cols == tl.load(s_ptr + b * ssb + t * sst))
    y = tl.where(x < 0, x * penalty, x / penalty)
    tl.store(o_ptr + b * vocab + cols, tl.where(hit, y, x), mask=cols < vocab)


class ModelNew(nn.Module):
    def __init__(self, penalty=1.5):
        super().__init__()
        self.penalty = penalty

    def forward(self, logits, seen):
        B, V = logits.shape
        out = torch.empty((B, V), dtype=logits.dtype, device=logits.device)
        penalty_kernel[(B, triton.cdiv(V, 512))](
            logits,
            seen,
            out,
            V,
            seen.shape[1],
            logits.stride(0),
            logits.stride(1),
            seen.stride(0),
            seen.stride(1),
            self.penalty,
            BLOCK=512,
        )
        return out
