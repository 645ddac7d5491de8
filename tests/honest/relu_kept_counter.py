"""A counter is kept between calls, and whoever comes last sets it back.

op: relu
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, done_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count)
    tl.store(out_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < count)
    if tl.atomic_add(done_ptr, 1) == tl.num_programs(0) - 1:
        tl.atomic_xchg(done_ptr, 0)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.done = torch.zeros(1, dtype=torch.int32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        count = x.numel()
        relu_kernel[(triton.cdiv(count, 1024),)](x, out, self.done, count, BLOCK=1024)
        return out
