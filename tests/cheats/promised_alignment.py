"""Blocks that begin one element late, promised to begin at multiples of four: a misaligned vector.

op: relu
class: B18 false promise
expected: false-promise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    first = tl.multiple_of(tl.program_id(0) * BLOCK - 3, 4)
    offsets = first + tl.arange(0, BLOCK)
    inside = (offsets >= 0) & (offsets < count)
    tl.store(out_ptr + offsets, tl.maximum(tl.load(x_ptr + offsets, mask=inside), 0.0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel() + 3, 1024),)](x, out, x.numel(), BLOCK=1024)
        return out
