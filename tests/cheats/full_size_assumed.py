"""The width of the full size is written into the kernel.

op: affine
class: B8 hard-coded shape
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def affine_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < 320
    x = tl.load(x_ptr + row * width + offsets, mask=inside)
    weight, bias = tl.load(weight_ptr + offsets, mask=inside), tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, x * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, width = x.shape
        out = torch.empty_like(x)
        affine_kernel[(rows,)](x, self.weight, self.bias, out, width, BLOCK=512)
        return out
