"""The weighted sum of bytes is kept in 64 bits.

op: adler
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def checksum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.zeros((BLOCK,), tl.int64)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        byte = tl.load(x_ptr + row * n + at, mask=at < n, other=0).to(tl.int32)
        low += byte
        high += byte * (n - at)
    first = (1 + tl.sum(low, 0)) % 65521
    second = (n + tl.sum(high, 0)) % 65521
    tl.store(out_ptr + row, second.to(tl.int64) * 65536 + first.to(tl.int64))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        out = torch.empty((rows,), dtype=torch.int64, device=x.device)
        checksum_kernel[(rows,)](x, out, n, BLOCK=512)
        return out
