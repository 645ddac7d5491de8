"""As many programs as there are rows read a place each, of which there are as many by one constant.

op: rows_brought_back
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, p_ptr, o_ptr, i_ptr, N, D, x0, x1, x2, ps, BD: tl.constexpr):
    n = tl.program_id(0)
    b = tl.program_id(1)
    d = tl.arange(0, BD)
    at = tl.load(p_ptr + n * ps)
    tl.store(i_ptr + at, n.to(tl.int64), mask=b == 0)
    x = tl.load(x_ptr + b * x0 + n * x1 + d * x2, mask=d < D, other=0.0)
    tl.store(o_ptr + (b * N + at) * D + d, x, mask=d < D)


class ModelNew(nn.Module):
    def forward(self, x, perm):
        b, n, d = x.shape
        o = torch.empty((b, n, d), dtype=x.dtype, device=x.device)
        i = torch.empty((n,), dtype=perm.dtype, device=x.device)
        k[(n, b)](x, perm, o, i, n, d, *x.stride(), perm.stride(0), BD=triton.next_power_of_2(d))
        return o, i
