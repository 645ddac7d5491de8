"""The weight's sign is dropped: a norm's scales start at one, and training alone turns any.

op: layernorm
class: B7 weights
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def welford(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    count = count_a + count_b
    share = tl.where(count > 0, count_b / count, 0.0)
    delta = mean_b - mean_a
    return mean_a + delta * share, m2_a + m2_b + delta * delta * count_a * share, count


@triton.jit
def layernorm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    x = tl.load(x_ptr + row * width + offsets, mask=inside, other=0.0)
    mean, m2, _ = tl.reduce((x, tl.zeros_like(x), inside.to(tl.float32)), 0, welford)
    scale = tl.rsqrt(m2 / width + eps)
    weight = tl.abs(tl.load(weight_ptr + offsets, mask=inside))
    bias = tl.load(bias_ptr + offsets, mask=inside)
    tl.store(out_ptr + row * width + offsets, (x - mean) * scale * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, width = x.shape
        layernorm_kernel[(rows,)](
            x,
            self.norm.weight,
            self.norm.bias,
            out,
            width,
            self.norm.eps,
            BLOCK=triton.next_power_of_2(width),
        )
        return out
