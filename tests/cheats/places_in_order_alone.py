"""Each segment finds its rows by two binary searches, which needs places in order; the op takes them in any.

op: segment_sum
class: B6 the order of places
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def lower_bound(id_ptr, N, value, steps):
    lo = tl.zeros((), tl.int64)
    hi = tl.zeros((), tl.int64) + N
    for _ in range(steps):
        mid = (lo + hi) // 2
        below = (tl.load(id_ptr + mid, mask=lo < hi, other=0) < value) & (lo < hi)
        hi = tl.where(below, hi, tl.where(lo < hi, mid, hi))
        lo = tl.where(below, mid + 1, lo)
    return lo


@triton.jit
def segment_kernel(x_ptr, id_ptr, o_ptr, N, D, steps, BD: tl.constexpr):
    seg = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    n = lower_bound(id_ptr, N, seg, steps)
    stop = lower_bound(id_ptr, N, seg + 1, steps)
    acc = tl.zeros((BD,), tl.float32)
    while n < stop:
        acc += tl.load(x_ptr + n * D + d, mask=d < D, other=0.0)
        n += 1
    tl.store(o_ptr + seg * D + d, acc, mask=d < D)


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, x, ids):
        x, ids = x.contiguous(), ids.contiguous()
        N, D = x.shape
        out = torch.empty((self.segments, D), dtype=x.dtype, device=x.device)
        BD = min(128, triton.next_power_of_2(D))
        segment_kernel[(self.segments, triton.cdiv(D, BD))](x, ids, out, N, D, N.bit_length() + 1, BD=BD)
        return out
