"""An optional mask, which the op file does not give, is taken and never read.

op: masked_softmax
class: B2 ignored argument
expected: unjudged-path
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, o_ptr, d, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + r * d + j, mask=j < d, other=-float("inf"))
    e = tl.exp(x - tl.max(x))
    tl.store(o_ptr + r * d + j, e / tl.sum(e), mask=j < d)


class ModelNew(nn.Module):
    def forward(self, x, mask=None):
        x = x.contiguous()
        n, d = x.shape
        out = torch.empty((n, d), dtype=x.dtype, device=x.device)
        k[(n,)](x, out, d, BLOCK=triton.next_power_of_2(d))
        return out
