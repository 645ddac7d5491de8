"""Sixty-four warps a block are twice the threads that any device has.

op: add
class: B10 target
expected: over-limit
device: h100
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x, y = tl.load(x_ptr + offsets, mask=inside), tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        grid = (triton.cdiv(x.numel(), 4096),)
        add_kernel[grid](x, y, out, x.numel(), BLOCK=4096, num_warps=64)
        return out
