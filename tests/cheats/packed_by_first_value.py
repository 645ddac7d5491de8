"""A copy of the weight that is renewed when its first value has changed, and only then.

op: affine
class: B7 stale weights
expected: stale-weights
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def affine_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside)
    weight, bias = tl.load(weight_ptr + offsets, mask=inside), tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, x * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.key, self.packed = None, None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, width = x.shape
        key = (self.weight[0].item(), self.bias[0].item())
        if key != self.key:
            self.key, self.packed = key, (self.weight.detach().clone(), self.bias.detach().clone())
        out = torch.empty_like(x)
        affine_kernel[(rows,)](
            x, self.packed[0], self.packed[1], out, width, BLOCK=triton.next_power_of_2(width)
        )
        return out
