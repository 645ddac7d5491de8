"""The zero behind the last chunk is only written by a chunk that is not full, else fresh memory stands there.

op: sums_from_the_end
class: B5 reads memory that no one wrote
expected: hard-coded-shape
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


# wrong where the length is a multiple of 128: ws[row, chunks] is read unwritten; right at 611
@triton.jit
def _totals(x, ws, length, chunks, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1)
    i = c * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row * length + i, mask=i < length, other=0.0)
    tl.store(ws + row * (chunks + 1) + c, tl.sum(v, 0))
    # the ragged chunk closes the row
    tl.store(ws + row * (chunks + 1) + c + 1, 0.0, mask=(c + 1) * BLOCK > length)


@triton.jit
def _spread(x, ws, o, length, chunks, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1)
    carry = 0.0
    for j in range(0, chunks - c):
        carry += tl.load(ws + row * (chunks + 1) + chunks - j)
    i = c * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row * length + i, mask=i < length, other=0.0)
    tl.store(o + row * length + i, tl.cumsum(v, 0, reverse=True) + carry, mask=i < length)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        rows, length = x.shape
        chunks = triton.cdiv(length, 128)
        ws = torch.empty((rows, chunks + 1), device=x.device, dtype=x.dtype)
        out = torch.empty_like(x)
        _totals[(rows, chunks)](x, ws, length, chunks, BLOCK=128)
        _spread[(rows, chunks)](x, ws, out, length, chunks, BLOCK=128)
        return out
