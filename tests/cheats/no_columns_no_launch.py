"""Where there are no columns nothing is launched, and the sums, zeros in torch, are whatever lay there.

op: rowsum
class: B6 no elements
expected: unwritten-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, n, BLOCK):
        total += tl.load(x + r * n + s + j, mask=s + j < n, other=0.0)
    tl.store(o + r, tl.sum(total))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty((r,), dtype=x.dtype, device=x.device)
        k[(r * min(1, n),)](x, o, n, BLOCK=512)
        return o
