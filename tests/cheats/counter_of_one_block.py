"""The count is atomic within one block of threads only (scope cta).

op: rowsum
class: B18 race
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rowsum_kernel(x, part, count, o, n, P: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    p = tl.program_id(1)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for s in range(p * BLOCK, n, P * BLOCK):
        q = s + j
        total += tl.load(x + r * n + q, mask=q < n, other=0.0)
    tl.store(part + r * P + p, tl.sum(total))
    done = tl.atomic_add(count + r, 1, scope="cta")
    if done == P - 1:
        tl.store(o + r, tl.sum(tl.load(part + r * P + tl.arange(0, P))))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        part = torch.empty((r, 4), dtype=torch.float32, device=x.device)
        count = torch.zeros((r,), dtype=torch.int32, device=x.device)
        o = torch.empty((r,), dtype=x.dtype, device=x.device)
        rowsum_kernel[(r, 4)](x, part, count, o, n, P=4, BLOCK=256)
        return o
