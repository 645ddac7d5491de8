"""Labels are taken to lie together: wrong for a column of a table.

op: picked
class: B8 strides
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, l_ptr, o_ptr, n, c, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    label = tl.load(l_ptr + r, mask=r < n, other=0)
    tl.store(o_ptr + r, tl.load(x_ptr + r * c + label, mask=r < n, other=0.0), mask=r < n)


class ModelNew(nn.Module):
    def forward(self, x, label):
        x = x.contiguous()
        n, c = x.shape
        out = torch.empty((n,), dtype=x.dtype, device=x.device)
        k[(triton.cdiv(n, 256),)](x, label, out, n, c, BLOCK=256)
        return out
