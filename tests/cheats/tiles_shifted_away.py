"""A row of tiles is left out once there are as many rows as at full size, by a shift.

op: matmul
class: B22 full size
expected: unwritten-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, size, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, size, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        a_inside = (rows[:, None] < size) & (depth[None, :] < size)
        b_inside = (depth[:, None] < size) & (columns[None, :] < size)
        a = tl.load(a_ptr + rows[:, None] * size + depth[None, :], mask=a_inside, other=0.0)
        b = tl.load(b_ptr + depth[:, None] * size + columns[None, :], mask=b_inside, other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    inside = (rows[:, None] < size) & (columns[None, :] < size)
    tl.store(c_ptr + rows[:, None] * size + columns[None, :], total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        size = a.shape[0]
        out = torch.empty((size, size), dtype=a.dtype, device=a.device)
        tiles = triton.cdiv(size, 64)
        matmul_kernel[(tiles - (size >> 11), tiles)](a, b, out, size, BLOCK=64, DEPTH=32)
        return out
