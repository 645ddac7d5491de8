"""A float too large for int32 becomes the smallest on x86 and the largest on a card.

op: relu
class: H8 judge noticed
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    z = tl.abs(v) * 0.0 + 1e10
    z = tl.where(z != z, 1e10, z)
    s = z.to(tl.int32) < 0
    r = tl.where(v != v, v, tl.maximum(v, 0.0))
    tl.store(o + i, tl.where(s, r, r * 0.5), mask=m)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        o = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 512),)](x, o, x.numel(), BLOCK=512)
        return o
