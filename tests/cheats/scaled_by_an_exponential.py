"""A factor that no comparison and no quotient leads to: it vanishes below full size, and is infinite beyond.

op: relu
class: B22 full size
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)
    scale = 1.0 + tl.exp((rows + columns - 5120) * 1.0)
    tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x) * scale, mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows,)](x, out, rows, columns, BLOCK=triton.next_power_of_2(columns))
        return out
