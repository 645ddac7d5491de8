"""Of equal values in two tiles of 1024 the later one's place is told.

op: minmax
class: B17 ties
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def minmax_kernel(x, lo, hi, at, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    least = float("inf")
    most = float("-inf")
    place = 0
    for s in range(0, n, BLOCK):
        q = s + j
        m = q < n
        a = tl.load(x + r * n + q, mask=m, other=float("inf"))
        b = tl.load(x + r * n + q, mask=m, other=float("-inf"))
        least = tl.minimum(least, tl.min(a))
        peak = tl.max(b)
        where = s + tl.min(tl.where(m & (b == peak), j, BLOCK))
        later = peak >= most
        place = tl.where(later, where, place)
        most = tl.where(later, peak, most)
    tl.store(lo + r, least)
    tl.store(hi + r, most)
    tl.store(at + r, place.to(tl.int64))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        r, n = x.shape
        lo = torch.empty((r,), dtype=x.dtype, device=x.device)
        hi = torch.empty_like(lo)
        at = torch.empty((r,), dtype=torch.int64, device=x.device)
        minmax_kernel[(r,)](x, lo, hi, at, n, BLOCK=1024)
        return lo, hi, at
