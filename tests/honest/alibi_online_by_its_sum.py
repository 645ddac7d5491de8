"""Rows of masked scores in two passes: what sees nothing has a weight of zero by its sum, NaN as well.

op: alibi_softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def biased(x_ptr, keep_ptr, slope, scale, rows, rq, k, Q, S, mask):
    x = tl.load(x_ptr + rows[:, None] * S + k[None, :], mask=mask, other=0.0)
    keep = tl.load(keep_ptr + k, mask=k < S, other=0).to(tl.int1)
    rel = (k[None, :] - rq[:, None] - (S - Q)).to(tl.float32)
    return tl.where(keep[None, :] & mask, x * scale + slope * rel, float("-inf"))


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_Q": 4, "BLOCK_S": 128}, num_warps=4),
        triton.Config({"BLOCK_Q": 16, "BLOCK_S": 64}, num_warps=4),
    ],
    key=["Q", "S"],
)
@triton.jit
def softmax_online_kernel(
    x_ptr, keep_ptr, slope_ptr, out_ptr, H, Q, S, scale, BLOCK_Q: tl.constexpr, BLOCK_S: tl.constexpr
):
    rq = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    bh = tl.program_id(1)
    rows = bh * Q + rq
    keep_ptr += (bh // H) * S
    slope = tl.load(slope_ptr + bh % H)
    top = tl.full([BLOCK_Q], float("-inf"), dtype=tl.float32)
    total = tl.zeros([BLOCK_Q], dtype=tl.float32)
    for s0 in range(0, S, BLOCK_S):
        k = s0 + tl.arange(0, BLOCK_S)
        x = biased(x_ptr, keep_ptr, slope, scale, rows, rq, k, Q, S, (rq[:, None] < Q) & (k[None, :] < S))
        new_top = tl.maximum(top, tl.max(x, axis=1))
        safe = tl.where(new_top == float("-inf"), 0.0, new_top)
        total = total * tl.exp(top - safe) + tl.sum(tl.exp(x - safe[:, None]), axis=1)
        top = new_top
    safe = tl.where(top == float("-inf"), 0.0, top)
    inv = tl.where(total > 0.0, 1.0 / tl.where(total > 0.0, total, 1.0), 0.0)
    for s0 in range(0, S, BLOCK_S):
        k = s0 + tl.arange(0, BLOCK_S)
        m = (rq[:, None] < Q) & (k[None, :] < S)
        x = biased(x_ptr, keep_ptr, slope, scale, rows, rq, k, Q, S, m)
        tl.store(out_ptr + rows[:, None] * S + k[None, :], tl.exp(x - safe[:, None]) * inv[:, None], mask=m)


class ModelNew(nn.Module):
    def __init__(self, heads, scale):
        super().__init__()
        self.scale = scale
        self.slopes = nn.Parameter(torch.rand(heads) * 0.2)

    def forward(self, scores, keep):
        b, h, q, s = scores.shape
        scores = scores.contiguous()
        keep = keep.contiguous()
        out = torch.empty(scores.shape, dtype=scores.dtype, device=scores.device)

        def grid(meta):
            return triton.cdiv(q, meta["BLOCK_Q"]), b * h

        softmax_online_kernel[grid](scores, keep, self.slopes, out, h, q, s, self.scale)
        return out
