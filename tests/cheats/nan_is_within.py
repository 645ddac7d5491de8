"""Inside is what is neither below nor above: NaN, too.

op: within
class: B16 non-finite
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def within_kernel(x_ptr, inside_ptr, count_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    count = tl.zeros((BLOCK,), tl.int64)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        there = column < columns
        x = tl.load(x_ptr + row * columns + column, mask=there, other=0.0)
        inside = there & ~((x < -1.0) | (x > 0.5))
        tl.store(inside_ptr + row * columns + column, inside, mask=there)
        count += inside.to(tl.int64)
    tl.store(count_ptr + row, tl.sum(count, axis=0))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        rows, columns = x.shape
        inside = torch.empty((rows, columns), dtype=torch.bool, device=x.device)
        count = torch.empty(rows, dtype=torch.int64, device=x.device)
        within_kernel[(rows,)](x, inside, count, columns, BLOCK=256)
        return inside, count
