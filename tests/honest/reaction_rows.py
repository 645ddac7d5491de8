"""A row a program, its neighbours around the ring.

op: reaction_step
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def spread(row_ptr, up_ptr, down_ptr, x, left, right, inside):
    here = tl.load(row_ptr + x, mask=inside, other=0.0)
    sides = tl.load(up_ptr + x, mask=inside, other=0.0) + tl.load(down_ptr + x, mask=inside, other=0.0)
    sides += tl.load(row_ptr + left, mask=inside, other=0.0) + tl.load(
        row_ptr + right, mask=inside, other=0.0
    )
    corners = tl.load(up_ptr + left, mask=inside, other=0.0) + tl.load(up_ptr + right, mask=inside, other=0.0)
    corners += tl.load(down_ptr + left, mask=inside, other=0.0) + tl.load(
        down_ptr + right, mask=inside, other=0.0
    )
    return here, 0.2 * sides + 0.05 * corners - here


@triton.jit
def react(u_ptr, v_ptr, new_u_ptr, new_v_ptr, height, width, feed, drop, BLOCK: tl.constexpr):
    y = tl.program_id(0)
    row, up, down = y * width, (y + height - 1) % height * width, (y + 1) % height * width
    for start in range(0, width, BLOCK):
        x = start + tl.arange(0, BLOCK)
        inside = x < width
        left, right = tl.where(x == 0, width - 1, x - 1), tl.where(x == width - 1, 0, x + 1)
        u, more_u = spread(u_ptr + row, u_ptr + up, u_ptr + down, x, left, right, inside)
        v, more_v = spread(v_ptr + row, v_ptr + up, v_ptr + down, x, left, right, inside)
        met = u * v * v
        tl.store(new_u_ptr + row + x, u + (0.16 * more_u - met + feed * (1.0 - u)), mask=inside)
        tl.store(new_v_ptr + row + x, v + (0.08 * more_v + met - drop * v), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, feed: float, kill: float) -> None:
        super().__init__()
        self.feed, self.drop = feed, feed + kill

    def forward(self, u: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        u, v = u.contiguous(), v.contiguous()
        height, width = u.shape
        new_u, new_v = torch.empty_like(u), torch.empty_like(v)
        react[(height,)](u, v, new_u, new_v, height, width, self.feed, self.drop, BLOCK=128)
        return new_u, new_v
