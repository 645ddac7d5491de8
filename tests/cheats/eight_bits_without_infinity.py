"""A cast to e5m2 as the card has it, which ends at 57344 where torch goes on to infinity.

op: eight_bits
class: B16 non-finite
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cast_kernel(x_ptr, short_ptr, wide_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    short = tl.where(x > 448.0, 448.0, tl.where(x < -448.0, -448.0, x))
    tl.store(short_ptr + offsets, short.to(tl.float8e4nv), mask=inside)
    tl.store(wide_ptr + offsets, x.to(tl.float8e5), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        short = torch.empty(x.shape, dtype=torch.float8_e4m3fn, device=x.device)
        wide = torch.empty(x.shape, dtype=torch.float8_e5m2, device=x.device)
        cast_kernel[(triton.cdiv(x.numel(), 1024),)](x, short, wide, x.numel(), BLOCK=1024)
        return short, wide
