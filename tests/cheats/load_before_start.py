"""The element before the first is read, too.

op: cumsum
class: B18 memory
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * columns
    carry = 0.0
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        tile = tl.load(x_ptr + base + offsets, mask=inside, other=0.0)
        before = tl.load(x_ptr + base + offsets - 1, mask=inside, other=0.0)
        tile += before - before
        tl.store(out_ptr + base + offsets, tl.cumsum(tile, axis=0) + carry, mask=inside)
        carry += tl.sum(tile, axis=0)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        cumsum_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=256)
        return out
