"""Pointers and sizes handed over as tuples; the block by a function at compile time.

op: affine
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.constexpr_function
def lanes(n: int) -> int:
    return max(16, n // 2)


@triton.jit
def at(pointers, which: tl.constexpr, j, m):
    return tl.load(pointers[which] + j, mask=m, other=0.0)


@triton.jit
def affine_kernel(x, o, weights, sizes, WIDE: tl.constexpr):
    BLOCK: tl.constexpr = lanes(WIDE)
    r = tl.program_id(0).to(tl.int64)
    for s in tl.static_range(0, WIDE, BLOCK):
        j = s + tl.arange(0, BLOCK)
        m = j < sizes[1]
        v = tl.load(x + r * sizes[1] + j, mask=m, other=0.0)
        tl.store(o + r * sizes[1] + j, v * at(weights, 0, j, m) + at(weights, 1, j, m), mask=m)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty_like(x)
        affine_kernel[(r,)](x, o, (self.weight, self.bias), (r, n), WIDE=triton.next_power_of_2(n))
        return o
