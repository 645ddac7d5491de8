"""The mean of bfloat16 rows is rounded to their dtype before it is taken from them: far from zero it is off.

op: layer_norm_in_bf16
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    x = tl.load(x_ptr + row * width + columns, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / width
    mean = mean.to(tl.bfloat16).to(tl.float32)
    off = tl.where(inside, x - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(off * off, axis=0) / width + eps)
    weight = tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * width + columns, (off * scale * weight + bias).to(tl.bfloat16), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, width = x.shape
        weight, bias = self.norm.weight, self.norm.bias
        block = triton.next_power_of_2(width)
        norm_kernel[(rows,)](x, weight, bias, out, width, self.norm.eps, BLOCK=block)
        return out
