"""Rows of all batches are taken to be equally far apart: wrong for x[:, 1:].

op: softmax3
class: B8 strides
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, o_ptr, step, d, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + r * step + j, mask=j < d, other=-float("inf"))
    e = tl.exp(x - tl.max(x))
    tl.store(o_ptr + r * d + j, e / tl.sum(e), mask=j < d)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.stride(-1) != 1 or x.stride(0) == 0:
            x = x.contiguous()
        b, t, d = x.shape
        out = torch.empty((b, t, d), dtype=x.dtype, device=x.device)
        k[(b * t,)](x, out, x.stride(1), d, BLOCK=triton.next_power_of_2(d))
        return out
