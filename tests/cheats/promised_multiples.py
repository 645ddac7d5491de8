"""Every third element, promised to be contiguous: a vector reads its neighbours instead.

op: add
class: B18 false promise
expected: false-promise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    thirds = 3 * (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    thirds = tl.max_contiguous(tl.multiple_of(thirds, 16), 16)
    for shift in tl.static_range(3):
        inside = thirds + shift < count
        total = tl.load(a_ptr + thirds + shift, mask=inside) + tl.load(b_ptr + thirds + shift, mask=inside)
        tl.store(out_ptr + thirds + shift, total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty_like(a)
        add_kernel[(triton.cdiv(a.numel(), 3 * 256),)](a, b, out, a.numel(), BLOCK=256)
        return out
