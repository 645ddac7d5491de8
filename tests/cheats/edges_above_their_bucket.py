"""A value that equals an edge falls into the bucket above it.

op: buckets
class: B6 thresholds
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o, mask=o < n, other=0.0)
    y = (
        (1 - (x < 0.1).to(tl.int64))
        + (1 - (x < 0.3).to(tl.int64))
        + (1 - (x < 0.6).to(tl.int64))
        + (1 - (x < 0.9).to(tl.int64))
    )
    tl.store(o_ptr + o, y, mask=o < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty(x.shape, dtype=torch.int64, device=x.device)
        n = x.numel()
        k[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
        return out
