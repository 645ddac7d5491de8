"""The accumulator is zeroed when it is made, and never again.

op: rowsum
class: B10 uninitialised memory
expected: not-repeatable
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rowsum_kernel(x_ptr, total_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0), axis=0)
    tl.store(out_ptr + row, part + tl.atomic_add(total_ptr + row, part))


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.total: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        if self.total is None or self.total.shape[0] != rows:
            self.total = torch.zeros(rows, dtype=x.dtype, device=x.device)
        out = torch.empty(rows, dtype=x.dtype, device=x.device)
        rowsum_kernel[(rows,)](x, self.total, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
