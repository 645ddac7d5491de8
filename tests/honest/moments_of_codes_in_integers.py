"""One program a row, int32 lanes for both sums, the last step in int64.

op: quantised_moments
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def moments_kernel(q_ptr, zp_ptr, scale_ptr, mean_ptr, var_ptr, n, sr, sc, sz, ss, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    zp = tl.load(zp_ptr + row * sz).to(tl.int32)
    a1 = tl.zeros([BLOCK], dtype=tl.int32)
    a2 = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n
        q = tl.load(q_ptr + row * sr + cols * sc, mask=mask, other=0).to(tl.int32)
        d = tl.where(mask, q - zp, 0)
        a1 += d
        a2 += d * d
    s1 = tl.sum(a1, axis=0)
    s2 = tl.sum(a2, axis=0)
    total = s1.to(tl.int64)
    spread = s2.to(tl.int64) * n - total * total
    scale = tl.load(scale_ptr + row * ss)
    tl.store(mean_ptr + row, total.to(tl.float32) / n * scale)
    tl.store(var_ptr + row, spread.to(tl.float32) / n / n * scale * scale)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, zero_point, scale):
        rows, n = q.shape
        mean = torch.empty((rows,), device=q.device, dtype=scale.dtype)
        var = torch.empty_like(mean)
        moments_kernel[(rows,)](
            q,
            zero_point,
            scale,
            mean,
            var,
            n,
            q.stride(0),
            q.stride(1),
            zero_point.stride(0),
            scale.stride(0),
            BLOCK=1024,
        )
        return mean, var
