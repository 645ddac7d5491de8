"""The bin comes from the first two edges by division: right for edges that are evenly spaced, as the
constructor makes them.

op: bucketize
class: B7 a table that is loaded
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def bucket_kernel(x_ptr, b_ptr, o_ptr, n, bins, steps, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    lo = tl.zeros((BLOCK,), tl.int32)
    hi = tl.zeros((BLOCK,), tl.int32) + bins
    b0 = tl.load(b_ptr)
    b1 = tl.load(b_ptr + bins - 1)
    guess = (x - b0) * ((bins - 1) / (b1 - b0))
    guess = tl.minimum(tl.maximum(guess, 0.0), bins - 1.0).to(tl.int32)
    lo = tl.maximum(guess - 1, 0)
    hi = tl.minimum(guess + 2, bins)
    for _ in range(steps):
        live = lo < hi
        mid = (lo + hi) // 2
        v = tl.load(b_ptr + mid, mask=ok & live, other=0.0)
        left = v >= x
        hi = tl.where(live & left, mid, hi)
        lo = tl.where(live & (left == 0), mid + 1, lo)
    tl.store(o_ptr + i, lo.to(tl.int64), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.register_buffer("boundaries", torch.linspace(-3.0, 3.0, bins))

    def forward(self, x):
        x = x.contiguous()
        edges = self.boundaries.contiguous()
        out = torch.empty(x.shape, dtype=torch.int64, device=x.device)
        bins = edges.numel()
        bucket_kernel[(triton.cdiv(x.numel(), 1024),)](
            x, edges, out, x.numel(), bins, bins.bit_length(), BLOCK=1024
        )
        return out
