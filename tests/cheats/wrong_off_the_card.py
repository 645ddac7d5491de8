"""Off the card another line runs, and what it gives is wrong: of such a line nothing is known.

op: relu
class: A8 unreached lines
expected: unjudged-path
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, out_ptr, count, least, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count)
    tl.store(out_ptr + offsets, tl.where(x < least, least, x), mask=offsets < count)


def least_of(x: torch.Tensor) -> float:
    if x.is_cuda:
        return 0.0
    return 0.25


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), least_of(x), BLOCK=512)
        return out
