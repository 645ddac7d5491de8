"""W8A8 product that adds pairs of products in 16 bits, too small only for four times -128.

op: int8_scaled_product
class: B6 bytes at their ends
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def w8a8_kernel(a_ptr, b_ptr, sa_ptr, sb_ptr, o_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    am = rm < m
    bm = rn < n
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for i in range(0, k, 2):
        more = i + 1 < k
        a0 = tl.load(a_ptr + rm * k + i, mask=am, other=0).to(tl.int16)
        a1 = tl.load(a_ptr + rm * k + i + 1, mask=am & more, other=0).to(tl.int16)
        b0 = tl.load(b_ptr + rn * k + i, mask=bm, other=0).to(tl.int16)
        b1 = tl.load(b_ptr + rn * k + i + 1, mask=bm & more, other=0).to(tl.int16)
        pair = a0[:, None] * b0[None, :] + a1[:, None] * b1[None, :]
        acc += pair.to(tl.int32)
    sa = tl.load(sa_ptr + rm, mask=am, other=0.0)
    sb = tl.load(sb_ptr + rn, mask=bm, other=0.0)
    tl.store(
        o_ptr + rm[:, None] * n + rn[None, :],
        acc.to(tl.float32) * sa[:, None] * sb[None, :],
        mask=am[:, None] & bm[None, :],
    )


class ModelNew(nn.Module):
    def forward(self, a, b, scale_a, scale_b):
        a, b, scale_a, scale_b = a.contiguous(), b.contiguous(), scale_a.contiguous(), scale_b.contiguous()
        M, K = a.shape
        N = b.shape[0]
        out = torch.empty((M, N), dtype=torch.float32, device=a.device)
        w8a8_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](
            a, b, scale_a, scale_b, out, M, N, K, BM=16, BN=16
        )
        return out
