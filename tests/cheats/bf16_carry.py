"""The running sum of earlier tiles is kept in bfloat16.

op: cumsum
class: B19 precision
expected: low-precision
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * columns
    carry = tl.zeros((), dtype=tl.bfloat16)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        tile = tl.load(x_ptr + base + offsets, mask=inside, other=0.0)
        tl.store(out_ptr + base + offsets, tl.cumsum(tile, axis=0) + carry.to(tl.float32), mask=inside)
        carry = (carry.to(tl.float32) + tl.sum(tile, axis=0)).to(tl.bfloat16)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        cumsum_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=256)
        return out
