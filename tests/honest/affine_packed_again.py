"""Scale and shift are packed side by side, afresh in every call.

op: affine
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def affine_kernel(x_ptr, packed_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside)
    weight = tl.load(packed_ptr + offsets, mask=inside)
    bias = tl.load(packed_ptr + width + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, x * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, width = x.shape
        packed = torch.empty((2, width), dtype=x.dtype, device=x.device)
        packed[0], packed[1] = self.weight, self.bias
        out = torch.empty_like(x)
        affine_kernel[(rows,)](x, packed, out, width, BLOCK=triton.next_power_of_2(width))
        return out
