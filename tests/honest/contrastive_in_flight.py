"""Logarithms of sums made of products in flight, less the diagonal, whatever its size.

op: contrastive
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def one_way_kernel(
    a_ptr,
    b_ptr,
    log_scale_ptr,
    out_ptr,
    n,
    dim,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    scale = tl.exp(tl.load(log_scale_ptr))
    top = tl.full([BLOCK_M], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    right = tl.zeros([BLOCK_M], tl.float32)
    for start in range(0, n, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        s = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
        for begin in range(0, dim, BLOCK_K):
            k = begin + tl.arange(0, BLOCK_K)
            a = tl.load(
                a_ptr + rows[:, None] * dim + k[None, :],
                mask=(rows[:, None] < n) & (k[None, :] < dim),
                other=0.0,
            )
            b = tl.load(
                b_ptr + cols[None, :] * dim + k[:, None],
                mask=(cols[None, :] < n) & (k[:, None] < dim),
                other=0.0,
            )
            s = tl.dot(a, b, s, input_precision="ieee")
        s = tl.where(cols[None, :] < n, s * scale, float("-inf"))
        right += tl.sum(tl.where(rows[:, None] == cols[None, :], s, 0.0), 1)
        new = tl.maximum(top, tl.max(s, 1))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(s - new[:, None]), 1)
        top = new
    loss = tl.where(rows < n, top + tl.log(total) - right, 0.0)
    tl.atomic_add(out_ptr, tl.sum(loss, 0) / (2.0 * n))


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor([2.6592]))

    def forward(self, image, text):
        image, text = image.contiguous(), text.contiguous()
        n, dim = image.shape
        out = torch.zeros((), dtype=torch.float32, device=image.device)
        grid = (triton.cdiv(n, 32),)
        one_way_kernel[grid](image, text, self.log_scale, out, n, dim, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
        one_way_kernel[grid](text, image, self.log_scale, out, n, dim, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
        return out
