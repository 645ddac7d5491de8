"""Bytes where torch gives booleans.

op: mask
class: B2 structure
expected: wrong-dtype
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def mask_kernel(a_ptr, b_ptr, mask_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    a, b = tl.load(a_ptr + offsets, mask=inside), tl.load(b_ptr + offsets, mask=inside)
    allowed = tl.load(mask_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, (a > b) & (allowed != 0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        a, b, mask = a.contiguous(), b.contiguous(), mask.contiguous()
        out = torch.empty(a.shape, dtype=torch.uint8, device=a.device)
        mask_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, mask, out, a.numel(), BLOCK=1024)
        return out
