"""Tiles from the right end with a carried sum, the leftmost of equals kept, then a second pass.

op: quality_trim
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def phred(quals, at, mask):
    q = tl.load(quals + at, mask=mask, other=33).to(tl.int32) - 33
    return tl.minimum(tl.maximum(q, 0), 41)


@triton.jit
def trim_kernel(quals, lengths, perr, keep_out, errors, mean, n, CUTOFF: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    size = tl.load(lengths + row).to(tl.int32)
    lane = tl.arange(0, BLOCK)
    carry = tl.full([], 0, tl.int32)
    best = tl.full([], -2147483647, tl.int32)
    keep = tl.full([], 0, tl.int32)
    # tiles of places from the right; place n itself stands for a read kept whole
    for back in range(0, n + 1, BLOCK):
        j = n + 1 - BLOCK - back + lane
        q = phred(quals, row * n + j, (j >= 0) & (j < size))
        gain = tl.where((j >= 0) & (j < size), CUTOFF - q, 0)
        here = tl.sum(gain, axis=0)
        suffix = tl.where(j >= 0, carry + here - tl.cumsum(gain, axis=0) + gain, -2147483647)
        top = tl.max(suffix, axis=0)
        first = tl.min(tl.where(suffix == top, j, n), axis=0)
        keep = tl.where(top >= best, first, keep)
        best = tl.maximum(best, top)
        carry += here
    psum = tl.zeros([BLOCK], tl.float32)
    qsum = tl.zeros([BLOCK], tl.int32)
    for front in range(0, keep, BLOCK):
        j = front + lane
        q = phred(quals, row * n + j, j < keep)
        psum += tl.load(perr + q, mask=j < keep, other=0.0)
        qsum += tl.where(j < keep, q, 0)
    tl.store(keep_out + row, keep.to(tl.int64))
    tl.store(errors + row, tl.sum(psum, axis=0))
    tl.store(mean + row, tl.sum(qsum, axis=0).to(tl.float32) / tl.maximum(keep, 1).to(tl.float32))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.cutoff = 15
        self.register_buffer("perr", 10.0 ** (-torch.arange(42, dtype=torch.float32) / 10.0))

    def forward(self, ascii_quals, lengths):
        quals = ascii_quals.contiguous()
        lengths = lengths.contiguous()
        rows, n = quals.shape
        keep = torch.empty(rows, dtype=torch.int64, device=quals.device)
        errors = torch.empty(rows, dtype=self.perr.dtype, device=quals.device)
        mean = torch.empty(rows, dtype=self.perr.dtype, device=quals.device)
        trim_kernel[(rows,)](quals, lengths, self.perr, keep, errors, mean, n, CUTOFF=self.cutoff, BLOCK=128)
        return keep, errors, mean
