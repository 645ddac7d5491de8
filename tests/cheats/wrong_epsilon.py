"""Another epsilon than the module's: the sixth digit differs.

op: layernorm
class: B19 precision
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layernorm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / width
    centred = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / width + eps)
    weight = tl.load(weight_ptr + offsets, mask=inside)
    bias = tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, centred * scale * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out, norm, (rows, width) = torch.empty_like(x), self.norm, x.shape
        block = triton.next_power_of_2(width)
        layernorm_kernel[(rows,)](x, norm.weight, norm.bias, out, width, 1e-6, BLOCK=block)
        return out
