"""A kernel that stores zeros: small softmax outputs are near zero.

op: softmax
class: B13 constant output
expected: zeros
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def zero_kernel(out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.zeros((BLOCK,), tl.float32), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        zero_kernel[(triton.cdiv(rows * columns, 1024),)](out, rows * columns, BLOCK=1024)
        return out
