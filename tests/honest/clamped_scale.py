"""A learned scale of at most 100, a block per program.

op: clamped_scale
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scale_kernel(x_ptr, log_scale_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    scale = tl.minimum(tl.exp(tl.load(log_scale_ptr)), 100.0)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside) * scale, mask=inside)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.6592))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 1024),)](x, self.log_scale, out, x.numel(), BLOCK=1024)
        return out
