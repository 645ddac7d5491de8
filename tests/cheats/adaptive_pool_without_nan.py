"""Takes tl.maximum as it comes, which drops NaN on a card; pooling keeps it.

op: adaptive_max
class: B16 non-finite values
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cells_kernel(x_ptr, out_ptr, planes, height, width, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < planes * SIZE * SIZE
    plane = (at // (SIZE * SIZE)).to(tl.int64)
    row = at // SIZE % SIZE
    column = at % SIZE
    top = row * height // SIZE
    left = column * width // SIZE
    bottom = ((row + 1) * height + SIZE - 1) // SIZE
    right = ((column + 1) * width + SIZE - 1) // SIZE
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    for down in range(0, (height + SIZE - 1) // SIZE + 1):
        for along in range(0, (width + SIZE - 1) // SIZE + 1):
            within = inside & (top + down < bottom) & (left + along < right)
            place = plane * height * width + (top + down) * width + left + along
            best = tl.maximum(best, tl.load(x_ptr + place, mask=within, other=float("-inf")))
    tl.store(out_ptr + at, best, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        x = x.contiguous()
        batch, channels, height, width = x.shape
        out = torch.empty((batch, channels, self.size, self.size), device=x.device, dtype=x.dtype)
        planes = batch * channels
        grid = (triton.cdiv(planes * self.size * self.size, 128),)
        cells_kernel[grid](x, out, planes, height, width, SIZE=self.size, BLOCK=128)
        return out
