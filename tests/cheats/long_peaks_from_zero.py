"""Rows beyond 1024 go through a second kernel, whose running maximum begins at zero.

op: softmax_long
class: B8 another path for long rows
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def short(x_ptr, o_ptr, d, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + r * d + j, mask=j < d, other=-float("inf"))
    e = tl.exp(x - tl.max(x))
    tl.store(o_ptr + r * d + j, e / tl.sum(e), mask=j < d)


@triton.jit
def long(x_ptr, o_ptr, d, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    peak = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, d, BLOCK):
        peak = tl.maximum(peak, tl.load(x_ptr + r * d + s + j, mask=s + j < d, other=0.0))
    most = tl.max(peak)
    acc = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, d, BLOCK):
        acc += tl.exp(tl.load(x_ptr + r * d + s + j, mask=s + j < d, other=-float("inf")) - most)
    total = tl.sum(acc)
    for s in range(0, d, BLOCK):
        x = tl.load(x_ptr + r * d + s + j, mask=s + j < d, other=-float("inf"))
        tl.store(o_ptr + r * d + s + j, tl.exp(x - most) / total, mask=s + j < d)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n, d = x.shape
        out = torch.empty_like(x)
        if d <= 1024:
            short[(n,)](x, out, d, BLOCK=triton.next_power_of_2(d))
        else:
            long[(n,)](x, out, d, BLOCK=1024)
        return out
