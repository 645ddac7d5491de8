"""Shares a row out as four parts of a fourth, rounded down: the last one to three belong to none.

op: mean_of_lengths
class: B8 odd sizes
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def quarters_kernel(x_ptr, lengths_ptr, out_ptr, columns, quarter, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(lengths_ptr + row)
    total = tl.zeros((BLOCK,), tl.float32)
    for part in range(4):
        end = tl.minimum((part + 1) * quarter, length)
        for start in range(part * quarter, end, BLOCK):
            columns_here = start + tl.arange(0, BLOCK)
            total += tl.load(x_ptr + row * columns + columns_here, mask=columns_here < end, other=0.0)
    tl.store(out_ptr + row, tl.sum(total) / length)


class ModelNew(nn.Module):
    def forward(self, x, lengths):
        x, lengths = x.contiguous(), lengths.contiguous()
        rows, columns = x.shape
        out = torch.empty(rows, device=x.device, dtype=x.dtype)
        quarters_kernel[(rows,)](x, lengths, out, columns, max(1, columns // 4), BLOCK=256)
        return out
