"""A block goes through scratch and comes back in reverse, with a barrier on either side.

op: rowsum
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rowsum_kernel(x_ptr, scratch_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + start + lanes, mask=start + lanes < columns, other=0.0)
        tl.store(scratch_ptr + row * BLOCK + lanes, x)
        tl.debug_barrier()
        total += tl.load(scratch_ptr + row * BLOCK + (BLOCK - 1 - lanes))
        tl.debug_barrier()
    tl.store(out_ptr + row, tl.sum(total, axis=0))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        scratch = torch.empty((rows, 512), dtype=x.dtype, device=x.device)
        out = torch.empty(rows, dtype=x.dtype, device=x.device)
        rowsum_kernel[(rows,)](x, scratch, out, columns, BLOCK=512)
        return out
