"""Adds up powers, which overflow where their factors are zero.

op: poly_half
class: B7 weights
expected: non-finite
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _horner(x_ptr, c_ptr, p_ptr, d_ptr, C, T, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ch = row % C
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    o = row.to(tl.int64) * T + t
    x = tl.load(x_ptr + o, mask=t < T, other=0.0).to(tl.float32)
    p = tl.zeros((BLOCK,), tl.float32)
    d = tl.zeros((BLOCK,), tl.float32)
    low = x * 0.0
    pw = x * 0.0 + 1.0
    for k in range(0, D):
        c = tl.load(c_ptr + ch * D + k).to(tl.float32)
        p += c * pw
        d += c * low * k
        low = pw
        pw = pw * x
    tl.store(p_ptr + o, p.to(tl.float16), mask=t < T)
    tl.store(d_ptr + o, d.to(tl.float16), mask=t < T)


class ModelNew(torch.nn.Module):
    def __init__(self, channels, terms):
        super().__init__()
        self.coef = torch.nn.Parameter((torch.randn(channels, terms) * 0.5).half())

    def forward(self, x):
        x = x.contiguous()
        B, C, T = x.shape
        p = torch.empty_like(x)
        dp = torch.empty_like(x)
        _horner[(B * C, triton.cdiv(T, 256))](x, self.coef, p, dp, C, T, self.coef.shape[1], BLOCK=256)
        return p, dp
