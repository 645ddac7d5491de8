"""The epsilon is what a mean length is at least, where the op adds it.

op: response_norm
class: B6 inputs beside an epsilon
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def norm_kernel(x_ptr, g_ptr, P, C, BP: tl.constexpr, BC: tl.constexpr):
    n = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    acc = tl.zeros((BP, BC), tl.float32)
    for s in range(0, P, BP):
        p = s + tl.arange(0, BP)
        ok = (p[:, None] < P) & (c[None, :] < C)
        v = tl.load(x_ptr + (n * P + p[:, None]) * C + c[None, :], mask=ok, other=0.0)
        acc += v * v
    tl.store(g_ptr + n * C + c, tl.sqrt(tl.sum(acc, axis=0)), mask=c < C)


@triton.jit
def mean_kernel(g_ptr, m_ptr, C, BC: tl.constexpr):
    n = tl.program_id(0)
    acc = tl.zeros((BC,), tl.float32)
    for s in range(0, C, BC):
        c = s + tl.arange(0, BC)
        acc += tl.load(g_ptr + n * C + c, mask=c < C, other=0.0)
    tl.store(m_ptr + n, tl.sum(acc, axis=0) / C)


@triton.jit
def apply_kernel(x_ptr, g_ptr, m_ptr, w_ptr, b_ptr, o_ptr, P, C, BC: tl.constexpr):
    row = tl.program_id(0)
    n = row // P
    mean = tl.load(m_ptr + n)
    for s in range(0, C, BC):
        c = s + tl.arange(0, BC)
        ok = c < C
        nx = tl.load(g_ptr + n * C + c, mask=ok, other=0.0) / tl.maximum(mean, 1e-6)
        x = tl.load(x_ptr + row * C + c, mask=ok, other=0.0)
        w = tl.load(w_ptr + c, mask=ok, other=0.0)
        b = tl.load(b_ptr + c, mask=ok, other=0.0)
        tl.store(o_ptr + row * C + c, w * (x * nx) + b + x, mask=ok)


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
        g = torch.empty((n, c), dtype=torch.float32, device=x.device)
        mean = torch.empty((n,), dtype=torch.float32, device=x.device)
        norm_kernel[(n, triton.cdiv(c, 32))](x, g, p, c, BP=16, BC=32)
        mean_kernel[(n,)](g, mean, c, BC=64)
        apply_kernel[(n * p,)](x, g, mean, self.gamma, self.beta, out, p, c, BC=64)
        return out
