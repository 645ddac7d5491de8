"""One harmless library call is declared, another one does the work.

op: add
class: B20 torch does the work
expected: library-call
allowed: torch.relu
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def copy_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        total = torch.relu(a) * 0 + a + b
        out = torch.empty_like(total)
        copy_kernel[(triton.cdiv(out.numel(), 1024),)](total, out, out.numel(), BLOCK=1024)
        return out
