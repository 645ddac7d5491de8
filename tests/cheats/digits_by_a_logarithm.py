"""Of 999999 float32 has the logarithm of a million: it is said to have seven digits.

op: decimal_digits
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def digits_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    count = tl.abs(tl.load(x_ptr + at, mask=at < n, other=1).to(tl.int64))
    digits = tl.floor(tl.log(count.to(tl.float32) + 0.5) * 0.4342944819032518).to(tl.int64) + 1
    digits = tl.where(count < 10, 1, digits)
    tl.store(out_ptr + at, digits, mask=at < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty(x.shape, dtype=torch.int64, device=x.device)
        digits_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out
