"""Programs write zeros where their neighbours begin: in turn, an interpreter gets them right.

op: gelu
class: B18 race
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gelu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * (BLOCK - 16) + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    gelu = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(out_ptr + offsets, tl.where(tl.arange(0, BLOCK) < BLOCK - 16, gelu, 0.0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        gelu_kernel[(triton.cdiv(x.numel(), 1008),)](x, out, x.numel(), BLOCK=1024)
        return out
