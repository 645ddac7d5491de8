"""One program for each feature; what was counted is a floating number before it is multiplied.

op: merged_moments
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, mean_ptr, m2_ptr, c_ptr, out_ptr, n, d, BLOCK: tl.constexpr):
    f = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    m = j < n
    x = tl.load(x_ptr + j * d + f, mask=m, other=0.0)
    bm = tl.sum(x) / n
    e = tl.where(m, x - bm, 0.0)
    b2 = tl.sum(e * e)
    c = tl.load(c_ptr).to(tl.float32)
    mean = tl.load(mean_ptr + f)
    dd = bm - mean
    total = c + n
    m2 = tl.load(m2_ptr + f) + b2 + dd * dd * c * n / total
    mean += dd * n / total
    tl.store(mean_ptr + f, mean)
    tl.store(m2_ptr + f, m2)
    tl.store(out_ptr + j * d + f, (x - mean) / tl.sqrt_rn(m2 / total + 1e-5), mask=m)


@triton.jit
def tick(c_ptr, n):
    tl.store(c_ptr, tl.load(c_ptr) + n)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("m2", torch.zeros(features))
        self.register_buffer("count", torch.zeros((), dtype=torch.int32))

    def forward(self, x):
        x = x.contiguous()
        n, d = x.shape
        out = torch.empty_like(x)
        k[(d,)](x, self.mean, self.m2, self.count, out, n, d, BLOCK=triton.next_power_of_2(n))
        tick[(1,)](self.count, n)
        return out
