"""The op is zero for every input: a kernel that stores zeros is right, and proves nothing.

op: degenerate
class: B13 constant output
expected: degenerate
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def zero_kernel(out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.zeros((BLOCK,), tl.float32), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty((x.shape[0], 1), dtype=x.dtype, device=x.device)
        zero_kernel[(triton.cdiv(out.numel(), 256),)](out, out.numel(), BLOCK=256)
        return out
