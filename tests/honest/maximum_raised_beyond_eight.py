"""The running maximum stays where the next is ahead by eight at most: no weight is beyond 3000.

op: attention
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, scale, length, width, Q: tl.constexpr, K: tl.constexpr, D: tl.constexpr
):
    plane = tl.program_id(1).to(tl.int64) * length * width
    rows = tl.program_id(0) * Q + tl.arange(0, Q)
    lanes = tl.arange(0, D)
    places = rows[:, None] * width + lanes[None, :]
    inside = (rows[:, None] < length) & (lanes[None, :] < width)
    q = tl.load(q_ptr + plane + places, mask=inside, other=0.0) * scale
    peak = tl.full((Q,), float("-inf"), tl.float32)
    total = tl.zeros((Q,), tl.float32)
    mean = tl.zeros((Q, D), tl.float32)
    for first in range(0, length, K):
        keys = first + tl.arange(0, K)
        there = (keys[:, None] < length) & (lanes[None, :] < width)
        k = tl.load(k_ptr + plane + keys[:, None] * width + lanes[None, :], mask=there, other=0.0)
        v = tl.load(v_ptr + plane + keys[:, None] * width + lanes[None, :], mask=there, other=0.0)
        scores = tl.where(
            keys[None, :] < length, tl.dot(q, tl.trans(k), input_precision="ieee"), float("-inf")
        )
        found = tl.max(scores, axis=1)
        higher = tl.where(found > peak + 8.0, found, peak)
        weights = tl.exp(scores - higher[:, None])
        fading = tl.exp(peak - higher)
        total = total * fading + tl.sum(weights, axis=1)
        mean = mean * fading[:, None] + tl.dot(weights, v, input_precision="ieee")
        peak = higher
    tl.store(out_ptr + plane + places, mean / total[:, None], mask=inside)


class ModelNew(nn.Module):
    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        query, key, value = query.contiguous(), key.contiguous(), value.contiguous()
        out = torch.empty_like(query)
        batch, heads, length, width = query.shape
        lanes = max(16, triton.next_power_of_2(width))
        grid = (triton.cdiv(length, 64), batch * heads)
        attention_kernel[grid](
            query, key, value, out, max(width, 1) ** -0.5, length, width, Q=64, K=64, D=lanes
        )
        return out
