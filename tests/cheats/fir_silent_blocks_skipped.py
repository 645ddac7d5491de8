"""Leaves a block at zero where its own samples are all zero: the filter still rings from before.

op: causal_fir_half
class: B6 tiles of nothing
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def fir_kernel(x_ptr, w_ptr, y_ptr, C, T, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    own = tl.load(x_ptr + row * T + t, mask=t < T, other=0.0).to(tl.float32)
    taps = tl.where(tl.sum((own != 0.0).to(tl.int32)) > 0, K, 0)
    for k in range(0, taps):
        w = tl.load(w_ptr + (row % C) * K + k)
        x = tl.load(x_ptr + row * T + t - k, mask=(t >= k) & (t < T), other=0.0).to(tl.float32)
        acc += w * x
    tl.store(y_ptr + row * T + t, acc.to(tl.float16), mask=t < T)


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.register_buffer("taps", torch.randn(channels, taps))

    def forward(self, x):
        x = x.contiguous()
        B, C, T = x.shape
        y = torch.empty_like(x)
        fir_kernel[(B * C, triton.cdiv(T, 256))](x, self.taps, y, C, T, self.taps.shape[1], BLOCK=256)
        return y
