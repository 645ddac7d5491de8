"""Flat quantisation; ranges of planes, and then of images, in two more kernels.

op: observed_quantisation
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def round_q(x, s):
    v = tl.minimum(tl.maximum(tl.div_rn(x, s), -128.0), 127.0)
    f = tl.floor(v)
    d = v - f
    odd = f - 2.0 * tl.floor(f * 0.5)
    return tl.where(d > 0.5, f + 1.0, tl.where(d < 0.5, f, f + odd))


@triton.jit
def quant_kernel(x_ptr, s_ptr, q_ptr, o_ptr, C, HW, total, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = offs < total
    s = tl.load(s_ptr + (offs // HW) % C, mask=ok, other=1.0)
    q = round_q(tl.load(x_ptr + offs, mask=ok, other=0.0), s)
    tl.store(q_ptr + offs, q.to(tl.int8), mask=ok)
    tl.store(o_ptr + offs, q * s, mask=ok)


@triton.jit
def plane_kernel(x_ptr, part_ptr, HW, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    first = tl.load(x_ptr + p * HW)
    lo = tl.zeros((BLOCK,), tl.float32) + first
    hi = tl.zeros((BLOCK,), tl.float32) + first
    for j in range(0, HW, BLOCK):
        t = j + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + p * HW + t, mask=t < HW, other=0.0)
        lo = tl.where(t < HW, tl.minimum(lo, x), lo)
        hi = tl.where(t < HW, tl.maximum(hi, x), hi)
    tl.store(part_ptr + 2 * p, tl.min(lo, axis=0))
    tl.store(part_ptr + 2 * p + 1, tl.max(hi, axis=0))


@triton.jit
def observe_kernel(part_ptr, lo_ptr, hi_ptr, N, C, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = c < C
    lo = tl.load(lo_ptr + c, mask=ok, other=0.0)
    hi = tl.load(hi_ptr + c, mask=ok, other=0.0)
    for n in range(N):
        lo = tl.minimum(lo, tl.load(part_ptr + 2 * (n * C + c), mask=ok, other=0.0))
        hi = tl.maximum(hi, tl.load(part_ptr + 2 * (n * C + c) + 1, mask=ok, other=0.0))
    tl.store(lo_ptr + c, lo, mask=ok)
    tl.store(hi_ptr + c, hi, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("scale", 2.0 ** (torch.arange(channels) % 4 - 1).float())
        self.register_buffer("seen_min", torch.zeros(channels))
        self.register_buffer("seen_max", torch.zeros(channels))

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        q = torch.empty((n, c, h, w), dtype=torch.int8, device=x.device)
        deq = torch.empty_like(x)
        total = x.numel()
        quant_kernel[(triton.cdiv(total, 512),)](x, self.scale, q, deq, c, h * w, total, BLOCK=512)
        if self.training:
            part = torch.empty((n, c, 2), dtype=x.dtype, device=x.device)
            plane_kernel[(n * c,)](x, part, h * w, BLOCK=128)
            observe_kernel[(triton.cdiv(c, 32),)](part, self.seen_min, self.seen_max, n, c, BLOCK=32)
        return q, deq
