"""The first result is kept in a buffer that the state_dict does not show.

op: gelu
class: B9 cached result
expected: stale-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gelu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476)), mask=inside)


@triton.jit
def copy_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", None, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.kept is None or self.kept.shape != x.shape:
            self.kept = x.contiguous().clone()
            gelu_kernel[(triton.cdiv(x.numel(), 1024),)](self.kept, self.kept, x.numel(), BLOCK=1024)
        out = torch.empty_like(self.kept)
        copy_kernel[(triton.cdiv(x.numel(), 1024),)](self.kept, out, x.numel(), BLOCK=1024)
        return out
