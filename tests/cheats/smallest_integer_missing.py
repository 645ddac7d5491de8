"""The identity of the maximum is -2^31 + 1: rows of -2^31 alone come out one too large.

op: intmax
class: B6 legal inputs that an op file never ships
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def intmax_kernel(x, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    most = tl.full((BLOCK,), -2147483647, tl.int32)
    for s in range(0, n, BLOCK):
        most = tl.maximum(most, tl.load(x + r * n + s + j, mask=s + j < n, other=-2147483647))
    tl.store(o + r, tl.max(most))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty((r,), dtype=x.dtype, device=x.device)
        intmax_kernel[(r,)](x, o, n, BLOCK=256)
        return o
