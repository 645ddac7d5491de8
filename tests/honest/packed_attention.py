"""A program for each head and block of queries of one sequence; all that it reads of others is masked.

op: packed_attention
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def attend_kernel(
    q_ptr, k_ptr, v_ptr, ends_ptr, out_ptr, scale, heads, width, B: tl.constexpr, BW: tl.constexpr
):
    head, sequence = tl.program_id(1), tl.program_id(2)
    begin = tl.load(ends_ptr + sequence).to(tl.int64)
    end = tl.load(ends_ptr + sequence + 1).to(tl.int64)
    rows = begin + tl.program_id(0) * B + tl.arange(0, B)
    lanes = tl.arange(0, BW)
    mine = (rows[:, None] < end) & (lanes[None, :] < width)
    places = (rows[:, None] * heads + head) * width + lanes[None, :]
    q = tl.load(q_ptr + places, mask=mine, other=0.0) * scale
    top = tl.full((B,), -1e30, tl.float32)
    total = tl.zeros((B,), tl.float32)
    found = tl.zeros((B, BW), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * B, B):
        keys = begin + start + tl.arange(0, B)
        theirs = (keys[:, None] < end) & (lanes[None, :] < width)
        at = (keys[:, None] * heads + head) * width + lanes[None, :]
        k = tl.load(k_ptr + at, mask=theirs, other=0.0)
        v = tl.load(v_ptr + at, mask=theirs, other=0.0)
        score = tl.dot(q, tl.trans(k), input_precision="ieee")
        seen = (keys[None, :] < end) & (keys[None, :] <= rows[:, None])
        higher = tl.maximum(top, tl.max(tl.where(seen, score, -1e30), axis=1))
        share = tl.where(seen, tl.exp(score - higher[:, None]), 0.0)
        fade = tl.exp(top - higher)
        total = total * fade + tl.sum(share, axis=1)
        found = found * fade[:, None] + tl.dot(share, v, input_precision="ieee")
        top = higher
    tl.store(out_ptr + places, found / tl.where(total == 0.0, 1.0, total)[:, None], mask=mine)


class ModelNew(nn.Module):
    def forward(self, q, k, v, ends):
        q, k, v, ends = q.contiguous(), k.contiguous(), v.contiguous(), ends.contiguous()
        tokens, heads, width = q.shape
        out = torch.zeros_like(q)
        grid = (triton.cdiv(tokens, 16), heads, len(ends) - 1)
        lanes = max(16, triton.next_power_of_2(width))
        attend_kernel[grid](q, k, v, ends, out, width**-0.5, heads, width, B=16, BW=lanes)
        return out
