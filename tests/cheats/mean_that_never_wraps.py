"""The mean of two neighbours does not overflow, (a & b) + ((a ^ b) >> 1); the reference's sum wraps.

op: lifting53
class: B6 integers at the ends of their type
expected: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def detail(row_ptr, n, live, evens, odds, stride):
    # the n-th high-band coefficient, zero beyond either end
    there = live & (n >= 0) & (n < odds)
    following = tl.minimum(n + 1, evens - 1)
    a = tl.load(row_ptr + (2 * n) * stride, mask=there, other=0)
    b = tl.load(row_ptr + (2 * following) * stride, mask=there, other=0)
    c = tl.load(row_ptr + (2 * n + 1) * stride, mask=there, other=0)
    return tl.where(there, c - ((a & b) + ((a ^ b) >> 1)), 0)


@triton.jit
def level_kernel(x_ptr, low_ptr, high_ptr, evens, odds, row_stride, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    n = (tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    line = x_ptr + row * row_stride
    live = n < evens
    before = detail(line, n - 1, live, evens, odds, stride)
    here = detail(line, n, live, evens, odds, stride)
    even = tl.load(line + 2 * n * stride, mask=live, other=0)
    tl.store(low_ptr + row * evens + n, even + ((before + here + 2) >> 2), mask=live)
    tl.store(high_ptr + row * odds + n, here, mask=live & (n < odds))


def level(x):
    rows, samples = x.shape
    odds = samples // 2
    evens = samples - odds
    low = torch.empty((rows, evens), dtype=x.dtype, device=x.device)
    high = torch.empty((rows, odds), dtype=x.dtype, device=x.device)
    block = min(1024, triton.next_power_of_2(evens))
    level_kernel[(rows, triton.cdiv(evens, block))](
        x, low, high, evens, odds, x.stride(0), x.stride(1), BLOCK=block
    )
    return low, high


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        low1, high1 = level(x)
        low2, high2 = level(low1)
        return low2, high2, high1
