"""The NaN of 0/0 has its sign set on x86 and not on a card.

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
    z = v * 0.0
    z = tl.where(z != z, 0.0, z)
    s = (z / z).to(tl.int32, bitcast=True) < 0
    r = tl.where(v != v, v, tl.maximum(v, 0.0))
    tl.store(o + i, tl.where(s, r, r * 0.5), mask=m)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        o = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 512),)](x, o, x.numel(), BLOCK=512)
        return o
