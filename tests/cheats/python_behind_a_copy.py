"""Plain Python adds the numbers up; a kernel copies the result.

op: rowsum
class: B20 host arithmetic
expected: library-call
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
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.tensor([sum(row) for row in x.double().tolist()], dtype=x.dtype)
        out = torch.empty_like(total)
        copy_kernel[(triton.cdiv(out.numel(), 1024),)](total, out, out.numel(), BLOCK=1024)
        return out
