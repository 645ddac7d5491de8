"""Of two that are both minus infinity the difference is NaN, and so is what comes out.

op: log_add
class: B16 non-finite
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    x = tl.load(x_ptr + o, mask=m)
    y = tl.load(y_ptr + o, mask=m)
    mx = tl.maximum(x, y)
    r = mx + tl.log(1.0 + tl.exp(-tl.abs(x - y)))
    tl.store(out_ptr + o, r, mask=m)


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        n = out.numel()
        if n > 0:
            k[(triton.cdiv(n, 512),)](x, y, out, n, BLOCK=512)
        return out
