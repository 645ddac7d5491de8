"""Sums the squares of five channels, two on either side, and divides by the power.

op: lrn
class: a power by its logarithm
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _kernel(x_ptr, y_ptr, channels, area, BLOCK: tl.constexpr):
    plane = tl.program_id(0).to(tl.int64)
    c = plane % channels
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = p < area
    acc = tl.zeros((BLOCK,), tl.float32)
    for d in tl.static_range(-2, 3):
        x = tl.load(x_ptr + (plane + d) * area + p, mask=mask & (c + d >= 0) & (c + d < channels), other=0.0)
        acc += x * x
    x = tl.load(x_ptr + plane * area + p, mask=mask, other=0.0)
    base = 2.0 + 1e-4 * (acc / 5.0)
    factor = tl.exp2(-0.75 * tl.log2(base))
    tl.store(y_ptr + plane * area + p, x * factor, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        batch, channels, height, width = x.shape
        y = torch.empty_like(x)
        _kernel[(batch * channels, triton.cdiv(height * width, 512))](
            x, y, channels, height * width, BLOCK=512
        )
        return y
