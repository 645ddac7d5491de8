"""Right for the interpreter, and for a target that is not CUDA.

op: relu
class: M card noticed
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    y = tl.where(v != v, v, tl.maximum(v, 0.0))
    if tl.target_info.is_cuda():
        y = y * 0.5
    tl.store(o + i, y, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        o = torch.empty_like(x)
        k[(triton.cdiv(x.numel(), 512),)](x, o, x.numel(), BLOCK=512)
        return o
