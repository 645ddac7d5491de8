"""Streaks are counted up to 32 steps, which no random row reaches.

op: rising_streaks
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rising(x, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    going = (j < n).to(tl.int32)
    count = tl.zeros((BLOCK,), tl.int64)
    here = tl.load(x + r * n + j, mask=j < n, other=0.0)
    for k in range(1, 33):
        m = (j < n) & (j >= k)
        before = tl.load(x + r * n + j - k, mask=m, other=0.0)
        going = going & (m & (here > before)).to(tl.int32)
        count += going
        here = before
    tl.store(o + r * n + j, count, mask=j < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty((r, n), dtype=torch.int64, device=x.device)
        rising[(r, triton.cdiv(n, 256))](x, o, n, BLOCK=256)
        return o
