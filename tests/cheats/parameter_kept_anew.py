"""A call keeps the weight under a name of its own, which makes a parameter more of it.

op: layernorm
class: B7 parameters that a call adds
expected: wrong-state
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
        self.seen = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen = self.norm.weight
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, width = x.shape
        layernorm_kernel[(rows,)](
            x, self.seen, self.norm.bias, out, width, self.norm.eps, BLOCK=triton.next_power_of_2(width)
        )
        return out
