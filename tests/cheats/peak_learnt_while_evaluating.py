"""Never asks its mode: whoever evaluates goes on training the buffer.

op: running_peak
class: B7 module mode
expected: buffer-differs
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def peak_kernel(x_ptr, peak_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    column, row = tl.program_id(0), tl.arange(0, BLOCK)
    inside = row < rows
    x = tl.load(x_ptr + row * columns + column, mask=inside, other=0.0)
    lost = tl.max((x != x).to(tl.int32), axis=0) > 0
    highest = tl.where(lost, float("nan"), tl.max(tl.abs(x), axis=0))
    peak = 0.9 * tl.load(peak_ptr + column) + 0.1 * highest
    tl.store(peak_ptr + column, peak)
    tl.store(out_ptr + row * columns + column, x / peak, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.register_buffer("peak", torch.ones(columns))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, (rows, columns) = x.contiguous(), x.shape
        out = torch.empty_like(x)
        peak_kernel[(columns,)](x, self.peak, out, rows, columns, BLOCK=triton.next_power_of_2(rows))
        return out
