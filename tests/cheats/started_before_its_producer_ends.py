"""The second kernel may start before the first has ended (launch_pdl) and never waits for it.

op: rowsum
class: B18 race
expected: unsupported
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def first(x, part, n, P: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    p = tl.program_id(1)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for s in range(p * BLOCK, n, P * BLOCK):
        q = s + j
        total += tl.load(x + r * n + q, mask=q < n, other=0.0)
    tl.store(part + r * P + p, tl.sum(total))


@triton.jit
def second(part, o, P: tl.constexpr):
    r = tl.program_id(0)
    tl.store(o + r, tl.sum(tl.load(part + r * P + tl.arange(0, P))))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        part = torch.empty((r, 4), dtype=torch.float32, device=x.device)
        o = torch.empty((r,), dtype=x.dtype, device=x.device)
        first[(r, 4)](x, part, n, P=4, BLOCK=256)
        second[(r,)](part, o, P=4, launch_pdl=True)
        return o
