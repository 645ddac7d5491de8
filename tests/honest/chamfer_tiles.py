"""Smallest squared distance by tiles; past the end the last point is read again.

op: chamfer
class: tail that reads the last again
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _kernel(a_ptr, b_ptr, y_ptr, points, others, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    z = tl.program_id(1).to(tl.int64)
    a = a_ptr + (z * points + m) * 3
    ax = tl.load(a, mask=m < points, other=0.0)
    ay = tl.load(a + 1, mask=m < points, other=0.0)
    az = tl.load(a + 2, mask=m < points, other=0.0)
    low = tl.full((BM,), float("inf"), tl.float32)
    for start in range(0, others, BN):
        n = tl.minimum(start + tl.arange(0, BN), others - 1)
        b = b_ptr + (z * others + n) * 3
        dx = ax[:, None] - tl.load(b)[None, :]
        dy = ay[:, None] - tl.load(b + 1)[None, :]
        dz = az[:, None] - tl.load(b + 2)[None, :]
        low = tl.minimum(low, tl.min(dx * dx + dy * dy + dz * dz, 1))
    tl.store(y_ptr + z * points + m, low, mask=m < points)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        batch, points, _ = a.shape
        y = torch.empty(batch, points, dtype=a.dtype, device=a.device)
        _kernel[(triton.cdiv(points, 32), batch)](a, b, y, points, b.shape[1], BM=32, BN=64)
        return y
