"""A mask promised to be the same for four lanes, which ends between them: a vector stores what it should not.

op: relu
class: B18 false promise
expected: false-promise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0) * columns
    lanes = tl.arange(0, BLOCK)
    inside = tl.max_constancy(lanes < columns - 1, 4)
    tl.store(
        out_ptr + start + lanes, tl.maximum(tl.load(x_ptr + start + lanes, mask=inside), 0.0), mask=inside
    )
    last = start + columns - 1
    tl.store(out_ptr + last, tl.maximum(-tl.load(x_ptr + last), 0.0) + tl.load(x_ptr + last))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        relu_kernel[(rows,)](x, out, rows, columns, BLOCK=triton.next_power_of_2(columns))
        return out
