"""A row in tiles of words: counts are carried on, and the first bit is the first of any tile.

op: word_ranks
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def bits(x):
    c = tl.zeros(x.shape, tl.int32)
    for s in tl.static_range(32):
        c += (x >> s) & 1
    return c


@triton.jit
def rank_kernel(x_ptr, b_ptr, c_ptr, f_ptr, W, s0, s1, B: tl.constexpr):
    r = tl.program_id(0)
    total = 0
    first = W * 32
    for w0 in range(0, W, B):
        w = w0 + tl.arange(0, B)
        x = tl.load(x_ptr + r * s0 + w * s1, mask=w < W, other=0)
        c = bits(x)
        low = bits((x & -x) - 1)
        first = tl.minimum(first, tl.min(tl.where(x != 0, w * 32 + low, W * 32), 0))
        before = tl.cumsum(c, 0) - c + total
        tl.store(b_ptr + r * W + w, before, mask=w < W)
        total += tl.sum(c, 0)
    tl.store(c_ptr + r, total.to(tl.int64))
    tl.store(f_ptr + r, tl.where(first < W * 32, first, -1).to(tl.int64))


class ModelNew(nn.Module):
    def forward(self, words):
        r, w = words.shape
        a = torch.empty((r, w), dtype=torch.int32, device=words.device)
        b = torch.empty((r,), dtype=torch.int64, device=words.device)
        c = torch.empty((r,), dtype=torch.int64, device=words.device)
        rank_kernel[(r,)](words, a, b, c, w, *words.stride(), B=32)
        return a, b, c
