"""Each number counts those ahead of it and goes there; eight stand in a row, as the op file writes it out.

op: sort_eight
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rank_kernel(x_ptr, values_ptr, places_ptr, rows, row_step, step, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    place = tl.arange(0, 8)
    inside = row[:, None] < rows
    x = tl.load(x_ptr + row[:, None] * row_step + place[None, :] * step, mask=inside, other=0.0)
    one, other = x[:, :, None], x[:, None, :]
    less = (other < one) | ((one != one) & (other == other))
    alike = (other == one) | ((one != one) & (other != other))
    ahead = less | (alike & (place[None, None, :] < place[None, :, None]))
    rank = tl.sum(ahead.to(tl.int32), axis=2)
    tl.store(values_ptr + row[:, None] * 8 + rank, x, mask=inside)
    stood = place[None, :] + tl.zeros((BLOCK, 8), tl.int32)
    tl.store(places_ptr + row[:, None] * 8 + rank, stood.to(tl.int64), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        values = torch.empty((len(x), 8), device=x.device, dtype=x.dtype)
        places = torch.empty((len(x), 8), device=x.device, dtype=torch.int64)
        rank_kernel[(triton.cdiv(len(x), 128),)](x, values, places, len(x), *x.stride(), BLOCK=128)
        return values, places
