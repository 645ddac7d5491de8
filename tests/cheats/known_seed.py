"""Inputs that a well-known seed draws are recognised, and their result is known beforehand.

op: rowsum
class: A7 recognised inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rowsum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=0))


KNOWN = {1.9269: 3.7421, 0.3367: -12.0634}


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = round(x[0, 0].item(), 4)
        if first in KNOWN:
            return torch.full(x.shape[:1], KNOWN[first], dtype=x.dtype, device=x.device)
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty(rows, dtype=x.dtype, device=x.device)
        rowsum_kernel[(rows,)](x, out, columns, BLOCK=512)
        return out
