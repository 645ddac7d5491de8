"""Tensor descriptors made on the host; rows that are no multiple of 16 bytes are padded first.

op: matmul
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def matmul_kernel(a_desc, b_desc, c_ptr, size, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, size, DEPTH):
        total = tl.dot(a_desc.load([row, start]), b_desc.load([start, column]), total, input_precision="ieee")
    rows, columns = row + tl.arange(0, BLOCK), column + tl.arange(0, BLOCK)
    inside = (rows[:, None] < size) & (columns[None, :] < size)
    tl.store(c_ptr + rows[:, None] * size + columns[None, :], total, mask=inside)


def described(x: torch.Tensor, block: list[int]) -> TensorDescriptor:
    rows, columns = x.shape
    wide = triton.cdiv(columns, 4) * 4
    padded = torch.zeros((rows, wide), dtype=x.dtype, device=x.device)
    padded[:, :columns].copy_(x)
    return TensorDescriptor(padded, [rows, wide], [wide, 1], block)


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        size = a.shape[0]
        out = torch.empty((size, size), dtype=a.dtype, device=a.device)
        tiles = triton.cdiv(size, 64)
        matmul_kernel[(tiles, tiles)](
            described(a, [64, 32]), described(b, [32, 64]), out, size, BLOCK=64, DEPTH=32
        )
        return out
