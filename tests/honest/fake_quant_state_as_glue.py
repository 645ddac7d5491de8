"""One looping program finds the extremes, the two averages are updated by torch as single numbers.

op: fake_quant_between_extremes
class: one program for the extremes, state by torch as glue
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def round_even(v):
    v = tl.minimum(tl.maximum(v, -1000.0), 1000.0)
    return (v + 12582912.0) - 12582912.0


@triton.jit
def extremes_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    first = tl.load(x_ptr)
    lo = tl.zeros([BLOCK], tl.float32) + first
    hi = lo
    for s in range(0, n, BLOCK):
        i = s + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        x = tl.where(i < n, x, first)
        lo = tl.minimum(lo, x)
        hi = tl.maximum(hi, x)
    tl.store(out_ptr, tl.min(lo, axis=0))
    tl.store(out_ptr + 1, tl.max(hi, axis=0))


@triton.jit
def fq_kernel(x_ptr, y_ptr, zero_ptr, lo_ptr, hi_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    lo = tl.minimum(tl.load(lo_ptr), 0.0)
    hi = tl.maximum(tl.load(hi_ptr), 0.0)
    scale = tl.maximum(tl.div_rn(hi - lo, 255.0), 1e-6)
    zero = tl.minimum(tl.maximum(round_even(tl.div_rn(-lo, scale)), 0.0), 255.0)
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    q = round_even(tl.div_rn(x, tl.zeros_like(x) + scale)) + zero
    q = tl.minimum(tl.maximum(q, 0.0), 255.0)
    tl.store(y_ptr + i, (q - zero) * scale, mask=mask)
    if pid == 0:
        tl.store(zero_ptr, zero.to(tl.int32))


class ModelNew(nn.Module):
    def __init__(self, momentum):
        super().__init__()
        self.m = momentum
        self.register_buffer("running_min", torch.tensor(-1.0))
        self.register_buffer("running_max", torch.tensor(1.0))

    def forward(self, x):
        xc = x.contiguous().view(-1)
        n = xc.shape[0]
        if self.training:
            ends = torch.empty(2, device=x.device, dtype=torch.float32)
            extremes_kernel[(1,)](xc, ends, n, BLOCK=1024)
            self.running_min.mul_(1 - self.m).add_(ends[0] * self.m)
            self.running_max.mul_(1 - self.m).add_(ends[1] * self.m)
        y = torch.empty(n, device=x.device, dtype=x.dtype)
        zero = torch.empty((), device=x.device, dtype=torch.int32)
        fq_kernel[(triton.cdiv(n, 128),)](xc, y, zero, self.running_min, self.running_max, n, BLOCK=128)
        return y.view(x.shape), zero
