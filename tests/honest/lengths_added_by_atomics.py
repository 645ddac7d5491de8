"""Squared lengths of channels by atomics, then their mean, then the pixels.

op: response_norm
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def square_kernel(x_ptr, s_ptr, P, C, chunks, BP: tl.constexpr, BC: tl.constexpr):
    pid = tl.program_id(0)
    n = pid // chunks
    p = (pid % chunks) * BP + tl.arange(0, BP)[:, None]
    for s in range(0, C, BC):
        c = s + tl.arange(0, BC)
        v = tl.load(x_ptr + (n * P + p) * C + c[None, :], mask=(p < P) & (c[None, :] < C), other=0.0)
        tl.atomic_add(s_ptr + n * C + c, tl.sum(v * v, axis=0), mask=c < C)


@triton.jit
def apply_kernel(x_ptr, s_ptr, w_ptr, b_ptr, o_ptr, P, C, chunks, BLOCK: tl.constexpr, BC: tl.constexpr):
    pid = tl.program_id(0)
    n = pid // chunks
    acc = tl.zeros((BC,), tl.float32)
    for s in range(0, C, BC):
        c = s + tl.arange(0, BC)
        acc += tl.sqrt(tl.load(s_ptr + n * C + c, mask=c < C, other=0.0))
    den = tl.sum(acc, axis=0) / C + 1e-6
    t = (pid % chunks) * BLOCK + tl.arange(0, BLOCK)
    ok = t < P * C
    ch = t % C
    x = tl.load(x_ptr + n * P * C + t, mask=ok, other=0.0)
    nx = tl.sqrt(tl.load(s_ptr + n * C + ch, mask=ok, other=0.0)) / den
    w = tl.load(w_ptr + ch, mask=ok, other=0.0)
    b = tl.load(b_ptr + ch, mask=ok, other=0.0)
    tl.store(o_ptr + n * P * C + t, w * (x * nx) + b + x, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gamma = nn.Parameter(torch.randn(channels) * 0.5)
        self.beta = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        x = x.contiguous()
        n, h, w, c = x.shape
        p = h * w
        out = torch.empty_like(x)
        sq = torch.zeros((n, c), dtype=torch.float32, device=x.device)
        k1 = triton.cdiv(p, 32)
        square_kernel[(n * k1,)](x, sq, p, c, k1, BP=32, BC=32)
        k2 = triton.cdiv(p * c, 1024)
        apply_kernel[(n * k2,)](x, sq, self.gamma, self.beta, out, p, c, k2, BLOCK=1024, BC=64)
        return out
