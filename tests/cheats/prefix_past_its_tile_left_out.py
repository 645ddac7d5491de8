"""Stops at the tile of its own row, as causal kernels do: a prefix that reaches past it is cut there.

op: prefix_lm
class: B14 partial computation
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def prefix_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    prefix_ptr,
    out_ptr,
    heads,
    tokens,
    dim,
    scale,
    BD: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    head = tl.program_id(1)
    base = head.to(tl.int64) * tokens * dim
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, BD)
    place = base + rows[:, None] * dim + d[None, :]
    inside = (rows[:, None] < tokens) & (d[None, :] < dim)
    q = tl.load(q_ptr + place, mask=inside, other=0.0)
    prefix = tl.load(prefix_ptr + head // heads).to(tl.int32)
    sums = tl.zeros([BM, BD], tl.float32)
    peak = tl.full([BM], float("-inf"), tl.float32)
    weight = tl.zeros([BM], tl.float32)
    end = tl.minimum((tl.program_id(0) + 1) * BM, tokens)
    for start in range(0, end, BN):
        keys = start + tl.arange(0, BN)
        there = (keys[:, None] < tokens) & (d[None, :] < dim)
        k = tl.load(k_ptr + base + keys[:, None] * dim + d[None, :], mask=there, other=0.0)
        v = tl.load(v_ptr + base + keys[:, None] * dim + d[None, :], mask=there, other=0.0)
        seen = ((keys[None, :] <= rows[:, None]) | (keys[None, :] < prefix)) & (keys[None, :] < tokens)
        scores = tl.where(seen, tl.dot(q, tl.trans(k), input_precision="ieee") * scale, float("-inf"))
        higher = tl.maximum(peak, tl.max(scores, 1))
        p = tl.exp(scores - higher[:, None])
        fade = tl.exp(peak - higher)
        sums = sums * fade[:, None] + tl.dot(p, v, input_precision="ieee")
        weight = weight * fade + tl.sum(p, 1)
        peak = higher
    tl.store(out_ptr + place, sums / weight[:, None], mask=inside)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = dim**-0.5

    def forward(self, q, k, v, prefix):
        q, k, v, prefix = q.contiguous(), k.contiguous(), v.contiguous(), prefix.contiguous()
        batch, heads, tokens, dim = v.shape
        out = torch.empty_like(v)
        wide = max(16, triton.next_power_of_2(dim))
        grid = (triton.cdiv(tokens, 64), batch * heads)
        prefix_kernel[grid](q, k, v, prefix, out, heads, tokens, dim, self.scale, BD=wide, BM=64, BN=64)
        return out
