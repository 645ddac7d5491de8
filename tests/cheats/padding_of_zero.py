"""Padding counts as zero: right wherever some value is positive.

op: maxpool
class: B6 untaken branch
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def maxpool_kernel(x_ptr, out_ptr, height, width, out_height, out_width, BLOCK: tl.constexpr):
    plane, pixel = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row, column = pixel // out_width, pixel % out_width
    inside = pixel < out_height * out_width
    largest = tl.zeros((BLOCK,), tl.float32)
    for tap in tl.static_range(9):
        y, x = 2 * row + tap // 3 - 1, 2 * column + tap % 3 - 1
        seen = inside & (y >= 0) & (y < height) & (x >= 0) & (x < width)
        value = tl.load(x_ptr + (plane * height + y) * width + x, mask=seen, other=0.0)
        largest = tl.maximum(largest, value, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out_ptr + plane * out_height * out_width + pixel, largest, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        batch, channels, height, width = x.shape
        out_height, out_width = (height + 1) // 2, (width + 1) // 2
        out = torch.empty((batch, channels, out_height, out_width), dtype=x.dtype, device=x.device)
        grid = (batch * channels, triton.cdiv(out_height * out_width, 128))
        maxpool_kernel[grid](x, out, height, width, out_height, out_width, BLOCK=128)
        return out
