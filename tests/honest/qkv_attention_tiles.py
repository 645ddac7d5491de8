"""Tiles of queries walk over keys and values, which lie beside them in one tensor.

op: qkv_attention
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn

HEADS, WIDTH = 4, 32


@triton.jit
def attention_kernel(
    qkv_ptr, out_ptr, scale, length, H: tl.constexpr, W: tl.constexpr, Q: tl.constexpr, K: tl.constexpr,
    D: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(1) // H
    head = tl.program_id(1) % H
    pitch = 3 * H * W
    base = qkv_ptr + batch.to(tl.int64) * length * pitch + head * W
    rows = tl.program_id(0) * Q + tl.arange(0, Q)
    lanes = tl.arange(0, D)
    inside = (rows[:, None] < length) & (lanes[None, :] < W)
    q = tl.load(base + rows[:, None] * pitch + lanes[None, :], mask=inside, other=0.0) * scale
    peak = tl.full((Q,), float("-inf"), tl.float32)
    total = tl.zeros((Q,), tl.float32)
    mean = tl.zeros((Q, D), tl.float32)
    for first in range(0, length, K):
        keys = first + tl.arange(0, K)
        there = (keys[:, None] < length) & (lanes[None, :] < W)
        places = keys[:, None] * pitch + lanes[None, :]
        k = tl.load(base + H * W + places, mask=there, other=0.0)
        v = tl.load(base + 2 * H * W + places, mask=there, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        scores = tl.where(keys[None, :] < length, scores, float("-inf"))
        higher = tl.maximum(peak, tl.max(scores, axis=1))
        weights = tl.exp(scores - higher[:, None])
        fading = tl.exp(peak - higher)
        total = total * fading + tl.sum(weights, axis=1)
        mean = mean * fading[:, None] + tl.dot(weights, v, input_precision="ieee")
        peak = higher
    places = (batch.to(tl.int64) * length + rows[:, None]) * (H * W) + head * W + lanes[None, :]
    tl.store(out_ptr + places, mean / total[:, None], mask=inside)


class ModelNew(nn.Module):
    def forward(self, qkv):
        qkv = qkv.contiguous()
        batch, length, _ = qkv.shape
        out = torch.empty(batch, length, HEADS * WIDTH, dtype=qkv.dtype, device=qkv.device)
        grid = (triton.cdiv(length, 64), batch * HEADS)
        attention_kernel[grid](
            qkv, out, WIDTH**-0.5, length,
            H=HEADS, W=WIDTH, Q=64, K=64, D=max(16, triton.next_power_of_2(WIDTH)),
        )  # fmt: skip
        return out
