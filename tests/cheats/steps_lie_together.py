"""Goes by the strides of batch and channel, and takes the step's to be 1.

op: moving_average
class: B8 layout taken for granted
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _trend(x_ptr, rest_ptr, trend_ptr, C, T, sb, sc, blocks, HALF: tl.constexpr, BLOCK: tl.constexpr):
    line = tl.program_id(0).to(tl.int64) // blocks
    at = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    x_ptr += line // C * sb + line % C * sc
    total = tl.zeros((BLOCK,), tl.float32)
    for shift in range(-HALF, HALF + 1):
        near = at + shift
        total += tl.load(x_ptr + near, mask=(near >= 0) & (near < T), other=0.0)
    count = tl.minimum(at + HALF, T - 1) - tl.maximum(at - HALF, 0) + 1
    trend = total / count.to(tl.float32)
    x = tl.load(x_ptr + at, mask=at < T, other=0.0)
    tl.store(trend_ptr + line * T + at, trend, mask=at < T)
    tl.store(rest_ptr + line * T + at, x - trend, mask=at < T)


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        if window % 2 == 0:
            raise ValueError("odd windows only")
        self.half = window // 2

    def forward(self, x):
        B, C, T = x.shape
        rest = torch.empty((B, C, T), device=x.device, dtype=x.dtype)
        trend = torch.empty((B, C, T), device=x.device, dtype=x.dtype)
        blocks = triton.cdiv(T, 128)
        _trend[(B * C * blocks,)](
            x, rest, trend, C, T, x.stride(0), x.stride(1), blocks, HALF=self.half, BLOCK=128
        )
        return rest, trend
