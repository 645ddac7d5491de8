"""A whole row in one block of the next power of two.

op: detrend
class: a row in one block, strides passed
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def detrend(x, out, n, sr, st, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    ok = i < n
    v = tl.load(x + row * sr + i * st, mask=ok, other=0.0)
    mean = tl.sum(v, axis=0) / n
    c = tl.where(ok, v - mean, 0.0)
    c = tl.where(ok, c - tl.sum(c, axis=0) / n, 0.0)  # takes off what rounding left in the mean
    t = tl.where(ok, i - (n - 1) * 0.5, 0.0)
    den = tl.maximum(tl.sum(t * t, axis=0), 0.25)
    slope = tl.sum(c * t, axis=0) / den
    tl.store(out + row * n + i, c - slope * t, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x):
        s, n = x.shape
        out = torch.empty(s, n, dtype=x.dtype, device=x.device)
        detrend[(s,)](x, out, n, x.stride(0), x.stride(1), BLOCK=triton.next_power_of_2(n))
        return out
