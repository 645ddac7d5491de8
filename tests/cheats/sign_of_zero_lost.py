"""One over minus zero comes out as plus infinity.

op: reciprocal
class: B16 non-finite
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def reciprocal_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count, other=1.0)
    y = 1.0 / tl.abs(x)
    tl.store(out_ptr + offsets, tl.where(x < 0.0, -y, y), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        reciprocal_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out
