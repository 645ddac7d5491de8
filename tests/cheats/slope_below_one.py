"""The larger of a number and its part stands for a leaky ReLU: a slope that is no part makes it the smaller.

op: leaky_of_two
class: B7 weights
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def leaky_kernel(
    x_ptr,
    y_ptr,
    out_ptr,
    columns,
    slope,
    scale,
    CENTRE: tl.constexpr,
    SQUARE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    places = tl.arange(0, BLOCK)
    inside = places < columns
    offsets = tl.program_id(0) * columns + places
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    y = tl.load(y_ptr + offsets, mask=inside, other=0.0)
    z = x + scale * y
    z = tl.maximum(z, slope * z)
    if CENTRE:
        z = z - tl.sum(tl.where(inside, z, 0.0), axis=0) / columns
    if SQUARE:
        z = z * z
    tl.store(out_ptr + offsets, z, mask=inside)


class ModelNew(nn.Module):
    def forward(
        self, x: torch.Tensor, y: torch.Tensor, slope: float, scale: float, centre: bool, square: bool
    ) -> torch.Tensor:
        x, y = x.contiguous(), y.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        block = triton.next_power_of_2(columns)
        leaky_kernel[(rows,)](x, y, out, columns, slope, scale, CENTRE=centre, SQUARE=square, BLOCK=block)
        return out
