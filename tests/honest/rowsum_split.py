"""Rows in parts, gathered with float32 atomics into zeros.

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
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    part = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    tl.atomic_add(out_ptr + row, tl.sum(part, axis=0), sem="relaxed")


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.zeros(rows, dtype=x.dtype, device=x.device)
        rowsum_kernel[(rows, triton.cdiv(columns, 512))](x, out, columns, BLOCK=512)
        return out
