"""A tile hands on only the starts it holds: behind a tile without one, a run began at the row's first place.

op: run_lengths
class: B6 integers
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def max_of(a, b):
    return tl.maximum(a, b)


@triton.jit
def runs_kernel(x_ptr, len_ptr, start_ptr, within_ptr, count_ptr, longest_ptr, L, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    length = tl.load(len_ptr + b)
    last = tl.full((), 0, dtype=tl.int32)
    count = tl.full((), 0, dtype=tl.int32)
    longest = tl.full((), 0, dtype=tl.int32)
    for tile in range(0, L, BLOCK):
        i = tile + tl.arange(0, BLOCK)
        live = i < L
        valid = live & (i < length)
        x = tl.load(x_ptr + b * L + i, mask=live, other=0)
        prev = tl.load(x_ptr + b * L + i - 1, mask=live & (i > 0), other=0)
        start = valid & ((i == 0) | (x != prev))
        opened = tl.where(start, i, 0)
        place = tl.maximum(tl.associative_scan(opened, 0, max_of), last)
        last = tl.max(opened, axis=0)
        within = tl.where(valid, i - place, 0)
        longest = tl.maximum(longest, tl.max(tl.where(valid, within + 1, 0), axis=0))
        count += tl.sum(start.to(tl.int32), axis=0)
        tl.store(start_ptr + b * L + i, start, mask=live)
        tl.store(within_ptr + b * L + i, within.to(tl.int64), mask=live)
    tl.store(count_ptr + b, count.to(tl.int64))
    tl.store(longest_ptr + b, longest.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, lengths):
        x, lengths = x.contiguous(), lengths.contiguous()
        B, L = x.shape
        start = torch.empty((B, L), dtype=torch.bool, device=x.device)
        within = torch.empty((B, L), dtype=torch.int64, device=x.device)
        count = torch.empty(B, dtype=torch.int64, device=x.device)
        longest = torch.empty(B, dtype=torch.int64, device=x.device)
        runs_kernel[(B,)](x, lengths, start, within, count, longest, L, BLOCK=16)
        return start, within, count, longest
