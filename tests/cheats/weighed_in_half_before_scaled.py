"""float16 rows times their weights in float16, before they are divided by their length.

op: rmsnorm_half
class: B7 weights
expected: non-finite
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
    x = tl.load(x_ptr + row * width + offsets, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / width + 1e-6)
    weighed = x.to(tl.float16) * tl.load(weight_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, (weighed * scale).to(tl.float16), mask=inside)


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
