"""Places of a row in tiles, whose differences are kept until its end.

op: replicas_agree
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def agree(a, b, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    bad = tl.zeros((BLOCK,), tl.int32)
    for s in range(0, n, BLOCK):
        j = s + tl.arange(0, BLOCK)
        x = tl.load(a + r * n + j, mask=j < n, other=0.0)
        y = tl.load(b + r * n + j, mask=j < n, other=0.0)
        bad = bad | (tl.abs(x - y) > 1e-3).to(tl.int32)
    tl.store(o + r, tl.max(bad, 0) == 0)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        r, n = a.shape
        o = torch.empty((r,), dtype=torch.bool, device=a.device)
        agree[(r,)](a, b, o, n, BLOCK=256)
        return o
