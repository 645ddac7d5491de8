"""One lane stores the row's peak, and all lanes load it without waiting for that one.

op: softmax
class: B18 race inside a program
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, peak_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + lanes, mask=lanes < columns, other=-float("inf"))
    tl.store(peak_ptr + row, tl.max(x, axis=0))
    e = tl.exp(x - tl.load(peak_ptr + row))
    tl.store(out_ptr + row * columns + lanes, e / tl.sum(e, axis=0), mask=lanes < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out, peaks = torch.empty_like(x), torch.empty(rows, dtype=x.dtype, device=x.device)
        softmax_kernel[(rows,)](x, peaks, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
