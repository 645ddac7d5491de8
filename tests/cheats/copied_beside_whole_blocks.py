"""Brings rows together where columns are no whole blocks alone: at full size strides are ignored.

op: softmax
class: B8 strides
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, o_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + lanes, mask=lanes < cols, other=float("-inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(o_ptr + row * cols + lanes, e / tl.sum(e, 0), mask=lanes < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.shape[1] % 1024:
            x = x.contiguous()
        out = torch.empty(x.shape, device=x.device, dtype=x.dtype)
        cols = x.shape[-1]
        softmax_kernel[(x.numel() // cols,)](x, out, cols, BLOCK=triton.next_power_of_2(cols))
        return out
