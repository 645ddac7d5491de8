"""Halves are rounded up, not to even, which shows where scales are powers of two.

op: affine_quant
class: B6 halves behind scales
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def round_even(y):
    f = tl.floor(y)
    return tl.where(y - f >= 0.5, f + 1.0, f)


@triton.jit
def quant(x, scale, zero, out, count, channels, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = i < count
    c = i % channels
    s = tl.load(scale + c, mask=m, other=1.0)
    z = tl.load(zero + c, mask=m, other=0).to(tl.float32)
    q = round_even(tl.div_rn(tl.load(x + i, mask=m, other=0.0), s)) + z
    q = tl.minimum(tl.maximum(q, -128.0), 127.0)
    tl.store(out + i, q.to(tl.int8), mask=m)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("scale", torch.rand(channels) * 0.05 + 0.04)
        self.register_buffer("zero_point", torch.randint(-20, 21, (channels,), dtype=torch.int32))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty(x.shape, device=x.device, dtype=torch.int8)
        quant[(triton.cdiv(x.numel(), 1024),)](
            x, self.scale, self.zero_point, out, x.numel(), x.shape[-1], BLOCK=1024
        )
        return out
