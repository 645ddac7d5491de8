"""Numpy computes where no recorder of torch sees it; a kernel copies the result.

op: add
class: B20 host arithmetic
expected: forbidden-code
"""

import operator

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def copy_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)


to_numpy = operator.methodcaller("numpy")


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        total = torch.tensor(to_numpy(a) + to_numpy(b))
        out = torch.empty_like(total)
        copy_kernel[(triton.cdiv(out.numel(), 1024),)](total, out, out.numel(), BLOCK=1024)
        return out
