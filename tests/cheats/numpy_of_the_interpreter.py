"""The arrays that an interpreter keeps behind its tensors are used directly.

op: rowsum
class: B20 interpreter only
expected: forbidden-code
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    total = tl.sum(x, axis=0)
    total.handle.data[...] = x.handle.data.sum()
    tl.store(out_ptr + row, total)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty(rows, dtype=x.dtype, device=x.device)
        sum_kernel[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
        return out
