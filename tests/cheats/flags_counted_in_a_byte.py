"""Each lane counts in 8 bits: of a row of flags that are all set, 256 rounds make zero.

op: any_flags
class: B22 counters that run over
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def any_kernel(flags_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    seen = tl.zeros((BLOCK,), tl.int8)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        flags = tl.load(flags_ptr + row * columns + column, mask=column < columns, other=0)
        seen += flags.to(tl.int8)
    tl.store(out_ptr + row, (tl.max(seen, axis=0) != 0).to(tl.uint8))


class ModelNew(nn.Module):
    def forward(self, flags: torch.Tensor) -> torch.Tensor:
        flags = flags.contiguous().view(torch.uint8)
        rows, columns = flags.shape
        out = torch.empty(rows, dtype=torch.bool, device=flags.device)
        any_kernel[(rows,)](flags, out.view(torch.uint8), columns, BLOCK=64)
        return out
