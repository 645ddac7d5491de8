"""What is above the diagonal is multiplied by zero: NaN in memory that nobody fills comes through.

op: lower_product
class: B16 what is left out
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def tril_kernel(a_ptr, b_ptr, o_ptr, N, M, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    r = pm * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k0 in range(0, tl.minimum(N, (pm + 1) * BM), BK):
        k = k0 + tl.arange(0, BK)
        a = tl.load(
            a_ptr + r[:, None] * N + k[None, :], mask=(r[:, None] < N) & (k[None, :] < N), other=0.0
        ) * (k[None, :] <= r[:, None]).to(tl.float32)
        b = tl.load(b_ptr + k[:, None] * M + c[None, :], mask=(k[:, None] < N) & (c[None, :] < M), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(o_ptr + r[:, None] * M + c[None, :], acc, mask=(r[:, None] < N) & (c[None, :] < M))


class ModelNew(nn.Module):
    def forward(self, a, b):
        a = a.contiguous()
        b = b.contiguous()
        N, M = b.shape
        out = torch.empty((N, M), dtype=a.dtype, device=a.device)
        tril_kernel[(triton.cdiv(N, 32), triton.cdiv(M, 32))](a, b, out, N, M, BM=32, BN=32, BK=16)
        return out
