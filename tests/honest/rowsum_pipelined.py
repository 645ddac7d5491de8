"""A pipelined loop: tl.range with stages, two warps, an eviction policy.

op: rowsum
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rowsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in tl.range(0, columns, BLOCK, num_stages=3):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        place = x_ptr + row * columns + offsets
        total += tl.load(place, mask=inside, other=0.0, eviction_policy="evict_first")
    tl.store(out_ptr + row, tl.sum(total, axis=0))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty(rows, dtype=x.dtype, device=x.device)
        rowsum_kernel[(rows,)](x, out, columns, BLOCK=512, num_warps=2, num_stages=3)
        return out
