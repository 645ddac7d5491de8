"""float16 throughout, rounded at each step as torch rounds.

op: half_scale
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scale_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    a, b = tl.load(a_ptr + offsets, mask=inside), tl.load(b_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 2 * a + b, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        scale_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, out, a.numel(), BLOCK=1024)
        return out
