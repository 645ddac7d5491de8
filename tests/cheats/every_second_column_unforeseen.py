"""The columns' stride is guessed from the rows': one where rows are far enough apart, wrong for x[:, ::2].

op: rowsum
class: B8 layouts
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rowsum_kernel(x, o, n, s0, s1, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, n, BLOCK):
        total += tl.load(x + r * s0 + (s + j) * s1, mask=s + j < n, other=0.0)
    tl.store(o + r, tl.sum(total))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        r, n = x.shape
        s0 = x.stride(0)
        o = torch.empty((r,), dtype=x.dtype, device=x.device)
        rowsum_kernel[(r,)](x, o, n, s0, max(1, r * (s0 == 1)), BLOCK=512)
        return o
