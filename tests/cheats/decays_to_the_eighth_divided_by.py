"""Divides by powers of a decay, up to the eighth, that float32 does not hold.

op: ema_scan
class: B7 weights as exponents
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def ema_kernel(x_ptr, logit_ptr, h0_ptr, y_ptr, last_ptr, T, C, BLOCK: tl.constexpr, STEP: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = c < C
    logit = tl.load(logit_ptr + c, mask=ok, other=0.0)
    a = 1.0 / (1.0 + tl.exp(-logit))
    g = 1.0 / (1.0 + tl.exp(logit))
    h = tl.load(h0_ptr + b * C + c, mask=ok, other=0.0)
    k = tl.arange(0, STEP)
    up = tl.exp((k[:, None] + 1) * tl.log(a)[None, :])
    for t0 in range(0, T, STEP):
        off = (b * T + t0 + k[:, None]) * C + c[None, :]
        live = (t0 + k < T)[:, None] & ok[None, :]
        v = tl.load(x_ptr + off, mask=live, other=0.0)
        # h_t = a^t (h + sum_s g x_s / a^s), within a step of eight
        y = up * (h[None, :] + tl.cumsum(g[None, :] * v / up, axis=0))
        tl.store(y_ptr + off, y, mask=live)
        end = tl.minimum(T - t0, STEP) - 1
        h = tl.sum(tl.where((k == end)[:, None], y, 0.0), axis=0)
    tl.store(last_ptr + b * C + c, h, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.logit = nn.Parameter(torch.randn(channels) * 0.5)

    def forward(self, x, h0):
        B, T, C = x.shape
        x = x.contiguous()
        h0 = h0.contiguous()
        y = torch.empty((B, T, C), dtype=x.dtype, device=x.device)
        last = torch.empty((B, C), dtype=x.dtype, device=x.device)
        BLOCK = 64
        ema_kernel[(B, triton.cdiv(C, BLOCK))](x, self.logit, h0, y, last, T, C, BLOCK=BLOCK, STEP=8)
        return y, last
