"""Rows that are full lose their last element.

op: mean_of_lengths
class: B17 lengths as long as the axis
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, l_ptr, o_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    size = tl.load(l_ptr + row)
    acc = tl.zeros((BLOCK,), tl.float32)
    for b in range(0, n, BLOCK):
        i = b + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * n + i, mask=(i < size) & (i < n - 1), other=0.0)
    tl.store(o_ptr + row, tl.sum(acc, 0) / size)


class ModelNew(nn.Module):
    def forward(self, x, lengths):
        x, lengths = x.contiguous(), lengths.contiguous()
        rows, n = x.shape
        out = torch.empty((rows,), dtype=x.dtype, device=x.device)
        k[(rows,)](x, lengths, out, n, BLOCK=256)
        return out
