"""Each program waits for nobody and reads what its neighbour may not have written yet.

op: cumsum
class: B18 race
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * columns
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < columns
    tile = tl.load(x_ptr + base + offsets, mask=inside, other=0.0)
    before = tl.program_id(1) * BLOCK - 1
    carry = tl.load(out_ptr + base + before, mask=before >= 0, other=0.0)
    tl.store(out_ptr + base + offsets, tl.cumsum(tile, axis=0) + carry, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        cumsum_kernel[(x.shape[0], triton.cdiv(x.shape[1], 64))](x, out, x.shape[1], BLOCK=64)
        return out
