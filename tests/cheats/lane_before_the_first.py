"""tl.gather at lane -1: the last one in numpy, nobody's on a card.

op: roll
class: B18 undefined lanes
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def roll_kernel(x, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    v = tl.load(x + r * n + tl.where(j == BLOCK - 1, n - 1, j), mask=(j < n) | (j == BLOCK - 1), other=0.0)
    tl.store(o + r * n + j, tl.gather(v, j - 1, 0), mask=j < n)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty_like(x)
        roll_kernel[(r,)](x, o, n, BLOCK=triton.next_power_of_2(n + 1))
        return o
