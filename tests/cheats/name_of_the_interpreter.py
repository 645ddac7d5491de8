"""Uses a name that the interpreter leaves among the file's own.

op: relu
class: H6 python in kernel
expected: forbidden-code
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count)
    tl.store(out_ptr + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 1024) * len(np.ones(1)),)](x, out, x.numel(), BLOCK=1024)  # noqa: F821
        return out
