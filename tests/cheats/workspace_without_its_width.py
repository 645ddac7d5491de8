"""A workspace is kept by the number of heads alone: wider heads write past its end.

op: linear_attention
class: B9 stale workspace
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def feature(x):
    return tl.where(x > 0, x + 1.0, tl.exp(tl.where(x > 0, 0.0, x)))


@triton.jit
def gather(k, v, kv, ks, tokens, dim, BT: tl.constexpr, BD: tl.constexpr):
    bh = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    d = tl.arange(0, BD)
    ok = (t[:, None] < tokens) & (d[None, :] < dim)
    at = bh * tokens * dim + t[:, None] * dim + d[None, :]
    f = tl.where(ok, feature(tl.load(k + at, mask=ok, other=0.0)), 0.0)
    x = tl.load(v + at, mask=ok, other=0.0)
    part = tl.dot(tl.trans(f), x, input_precision="ieee")
    square = (d[:, None] < dim) & (d[None, :] < dim)
    tl.atomic_add(kv + bh * dim * dim + d[:, None] * dim + d[None, :], part, mask=square)
    tl.atomic_add(ks + bh * dim + d, tl.sum(f, 0), mask=d < dim)


@triton.jit
def spread(q, kv, ks, out, tokens, dim, BT: tl.constexpr, BD: tl.constexpr):
    bh = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    d = tl.arange(0, BD)
    ok = (t[:, None] < tokens) & (d[None, :] < dim)
    at = bh * tokens * dim + t[:, None] * dim + d[None, :]
    f = tl.where(ok, feature(tl.load(q + at, mask=ok, other=0.0)), 0.0)
    square = (d[:, None] < dim) & (d[None, :] < dim)
    state = tl.load(kv + bh * dim * dim + d[:, None] * dim + d[None, :], mask=square, other=0.0)
    below = tl.sum(f * tl.load(ks + bh * dim + d, mask=d < dim, other=0.0)[None, :], 1)
    tl.store(out + at, tl.dot(f, state, input_precision="ieee") / below[:, None], mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = {}

    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        batch, heads, tokens, dim = q.shape
        key = (batch * heads, q.device)
        if key not in self.scratch:
            self.scratch[key] = (
                torch.empty((batch * heads, dim, dim), device=q.device, dtype=torch.float32),
                torch.empty((batch * heads, dim), device=q.device, dtype=torch.float32),
            )
        kv, ks = self.scratch[key]
        kv.zero_()
        ks.zero_()
        out = torch.empty_like(q)
        grid = (batch * heads, triton.cdiv(tokens, 32))
        block = max(16, triton.next_power_of_2(dim))
        gather[grid](k, v, kv, ks, tokens, dim, BT=32, BD=block)
        spread[grid](q, kv, ks, out, tokens, dim, BT=32, BD=block)
        return out
