"""Half of the way between two bounds is reckoned in 32 bits: of large counts their sum runs over.

op: lower_median
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def middle_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = x_ptr + tl.program_id(0).to(tl.int64) * n
    least = tl.full((BLOCK,), 2147483647, tl.int32)
    most = tl.full((BLOCK,), -2147483648, tl.int32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        found = tl.load(row + at, mask=at < n, other=0)
        least = tl.where(at < n, tl.minimum(least, found), least)
        most = tl.where(at < n, tl.maximum(most, found), most)
    low, high = tl.min(least, 0), tl.max(most, 0)
    want = (n - 1) // 2 + 1
    for _ in range(32):
        middle = tl.where(low < high, (low + high) >> 1, low)
        count = 0
        for start in range(0, n, BLOCK):
            at = start + tl.arange(0, BLOCK)
            found = tl.load(row + at, mask=at < n, other=0)
            count += tl.sum(((found <= middle) & (at < n)).to(tl.int32), 0)
        enough = count >= want
        low = tl.where(enough | (low >= high), low, middle + 1)
        high = tl.where(enough, middle, high)
    tl.store(out_ptr + tl.program_id(0), low.to(tl.int32))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        out = torch.empty((rows,), dtype=torch.int32, device=x.device)
        middle_kernel[(rows,)](x, out, n, BLOCK=512)
        return out
