"""Takes a ticket from a counter and is right only where tickets come in the order of programs.

op: relu
class: B18 order of programs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x, o, t, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    q = tl.atomic_add(t, 1)
    i = p.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    j = q.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + j, mask=j < n, other=0.0)
    tl.store(o + i, tl.where(v != v, v, tl.maximum(v, 0.0)), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        o = torch.empty_like(x)
        t = torch.zeros((1,), dtype=torch.int32, device=x.device)
        relu_kernel[(triton.cdiv(x.numel(), 512),)](x, o, t, x.numel(), BLOCK=512)
        return o
