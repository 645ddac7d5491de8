"""A loaded mean and variance, folded into one factor and one summand.

op: frozen_norm
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def norm_kernel(
    x_ptr, weight_ptr, bias_ptr, mean_ptr, variance_ptr, out_ptr, count, width, BLOCK: tl.constexpr
):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < count
    channels = places % width
    x = tl.load(x_ptr + places, mask=inside, other=0.0)
    weight = tl.load(weight_ptr + channels, mask=inside, other=0.0)
    bias = tl.load(bias_ptr + channels, mask=inside, other=0.0)
    mean = tl.load(mean_ptr + channels, mask=inside, other=0.0)
    variance = tl.load(variance_ptr + channels, mask=inside, other=1.0)
    scale = weight / tl.sqrt(variance + 1e-6)
    tl.store(out_ptr + places, x * scale + (bias - mean * scale), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("variance", torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        count, width = x.numel(), x.shape[1]
        norm_kernel[(triton.cdiv(count, 512),)](
            x, self.weight, self.bias, self.mean, self.variance, out, count, width, BLOCK=512
        )
        return out
