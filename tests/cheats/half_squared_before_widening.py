"""Squares in float16 and widens only then: an outlier above 255 makes its row infinite.

op: rmsnorm_half
class: B19 squares before it widens
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rmsnorm_kernel(x_ptr, weight_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside, other=0.0)
    squares = (x * x).to(tl.float32)
    scale = tl.rsqrt(tl.sum(squares, axis=0) / width + 1e-6)
    weight = tl.load(weight_ptr + offsets, mask=inside).to(tl.float32)
    tl.store(
        out_ptr + row * width + offsets,
        (x.to(tl.float32) * scale * weight).to(out_ptr.dtype.element_ty),
        mask=inside,
    )


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.float16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, width = x.shape
        rmsnorm_kernel[(rows,)](x, self.weight, out, width, BLOCK=triton.next_power_of_2(width))
        return out
