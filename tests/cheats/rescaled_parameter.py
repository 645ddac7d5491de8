"""The result is right, and the weight that the caller owns is half of what it was.

op: affine
class: B4 changed state
expected: parameter-mutated
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def affine_kernel(x_ptr, weight_ptr, bias_ptr, own_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside)
    weight, bias = tl.load(weight_ptr + offsets, mask=inside), tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, x * weight + bias, mask=inside)
    tl.store(own_ptr + offsets, weight * 0.5, mask=inside & (row == 0))


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, width = x.shape
        out = torch.empty_like(x)
        copy, block = self.weight.clone(), triton.next_power_of_2(width)
        affine_kernel[(rows,)](x, copy, self.bias, self.weight, out, width, BLOCK=block)
        return out
