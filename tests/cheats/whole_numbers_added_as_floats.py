"""Integers are cast and added up then: of large ones that cancel the rest is lost.

op: integer_mean
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def mean_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + j, mask=j < n, other=0)
    tl.store(out_ptr + row, tl.sum(x.to(tl.float32)) / n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        out = torch.empty((rows,), dtype=torch.float32, device=x.device)
        mean_kernel[(rows,)](x, out, n, BLOCK=triton.next_power_of_2(n))
        return out
