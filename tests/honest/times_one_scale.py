"""The scale of one element is made contiguous, as the rest is.

op: times_one_scale
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kernel(x_ptr, s_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x * tl.load(s_ptr), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, scale):
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        kernel[(triton.cdiv(n, 256),)](x, scale, y, n, BLOCK=256)
        return y
