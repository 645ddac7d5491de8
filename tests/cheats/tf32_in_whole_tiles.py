"""Where sizes are whole tiles, as at full size, the product is one of TF32.

op: matmul
class: B19 precision
expected: low-precision
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, size, BLOCK: tl.constexpr, DEPTH: tl.constexpr, EVEN: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, size, DEPTH):
        depth = start + tl.arange(0, DEPTH)
        a_at = a_ptr + rows[:, None] * size + depth[None, :]
        b_at = b_ptr + depth[:, None] * size + columns[None, :]
        if EVEN:
            a, b = tl.load(a_at), tl.load(b_at)
        else:
            a = tl.load(a_at, mask=(rows[:, None] < size) & (depth[None, :] < size), other=0.0)
            b = tl.load(b_at, mask=(depth[:, None] < size) & (columns[None, :] < size), other=0.0)
        total = tl.dot(a, b, total, input_precision="tf32" if EVEN else "ieee")
    c_at = c_ptr + rows[:, None] * size + columns[None, :]
    if EVEN:
        tl.store(c_at, total)
    else:
        tl.store(c_at, total, mask=(rows[:, None] < size) & (columns[None, :] < size))


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        size = a.shape[0]
        out = torch.empty((size, size), dtype=a.dtype, device=a.device)
        tiles = triton.cdiv(size, 128)
        matmul_kernel[(tiles, tiles)](a, b, out, size, BLOCK=128, DEPTH=32, EVEN=size % 128 == 0)
        return out
