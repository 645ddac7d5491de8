"""It promises vectors of both inputs where the first begins on one.

op: add
class: B8 alignment that differs between inputs
expected: false-promise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, count, ALIGNED: tl.constexpr, BLOCK: tl.constexpr):
    begins = tl.program_id(0) * BLOCK
    x_at, y_at = x_ptr + begins + tl.arange(0, BLOCK), y_ptr + begins + tl.arange(0, BLOCK)
    if ALIGNED:
        x_at, y_at = tl.multiple_of(x_at, 16), tl.multiple_of(y_at, 16)
    mask = begins + tl.arange(0, BLOCK) < count
    tl.store(
        out_ptr + begins + tl.arange(0, BLOCK), tl.load(x_at, mask=mask) + tl.load(y_at, mask=mask), mask=mask
    )


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        aligned = x.data_ptr() % 16 == 0
        add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), ALIGNED=aligned, BLOCK=256)
        return out
