"""The returned tensor brings a clone of its own, which computes when it is read out.

op: add
class: B1 lazy tensor
expected: forbidden-code
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def nothing_kernel(out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.zeros((BLOCK,), tl.float32), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(a, memory_format=torch.contiguous_format)
        nothing_kernel[(triton.cdiv(a.numel(), 1024),)](out, a.numel(), BLOCK=1024)
        out.clone = out.contiguous = lambda: a + b + out.detach()
        return out
