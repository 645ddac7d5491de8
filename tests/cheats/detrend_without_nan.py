"""Counts missing (NaN) samples as zero, where the reference gives a row of NaN.

op: detrend
class: B16 NaN handled otherwise
expected: non-finite
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl

# wrong for a NaN anywhere in a row: the reference sums it, so the whole row is NaN


@triton.jit
def detrend(x, out, n, sr, st, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    ok = i < n
    v = tl.load(x + row * sr + i * st, mask=ok, other=0.0)
    v = tl.where(v == v, v, 0.0)
    mean = tl.sum(v, axis=0) / n
    c = tl.where(ok, v - mean, 0.0)
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
