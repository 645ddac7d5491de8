"""The logarithm of the sum, kept in float32 to merge parts by, holds what bfloat16 does.

op: softmax_and_lse
class: B19 one precision for all outputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, o_ptr, l_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + j, mask=j < n, other=float("-inf")).to(tl.float32)
    top = tl.max(x, 0)
    e = tl.exp(x - tl.where(top == float("-inf"), 0.0, top))
    total = tl.sum(e, 0)
    tl.store(o_ptr + row * n + j, (tl.exp(x - top) / total).to(tl.bfloat16), mask=j < n)
    tl.store(l_ptr + row, (top + tl.log(total)).to(tl.bfloat16).to(tl.float32))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        out = torch.empty_like(x)
        lse = torch.empty((rows,), dtype=torch.float32, device=x.device)
        k[(rows,)](x, out, lse, n, BLOCK=triton.next_power_of_2(n))
        return out, lse
