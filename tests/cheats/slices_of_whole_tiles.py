"""The inner axis is shared out in four slices of whole tiles: what is left over belongs to none.

op: addmm
class: B14 partial
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def slice_kernel(
    a_ptr,
    b_ptr,
    w_ptr,
    M,
    N,
    K,
    span,
    sam,
    sak,
    sbk,
    sbn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    z = tl.program_id(2)
    acc = tl.zeros((BM, BN), tl.float32)
    end = min(z * span + span, K)
    for k0 in range(z * span, end, BK):
        rk = k0 + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rm[:, None] * sam + rk[None, :] * sak,
            mask=(rm[:, None] < M) & (rk[None, :] < end),
            other=0.0,
        )
        b = tl.load(
            b_ptr + rk[:, None] * sbk + rn[None, :] * sbn,
            mask=(rk[:, None] < end) & (rn[None, :] < N),
            other=0.0,
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(
        w_ptr + z.to(tl.int64) * M * N + rm[:, None] * N + rn[None, :],
        acc,
        mask=(rm[:, None] < M) & (rn[None, :] < N),
    )


@triton.jit
def finish_kernel(w_ptr, c_ptr, o_ptr, n, SLICES: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    acc = tl.zeros((BLOCK,), tl.float32)
    for z in tl.static_range(SLICES):
        acc += tl.load(w_ptr + z * n + offs, mask=mask)
    tl.store(o_ptr + offs, 0.5 * tl.load(c_ptr + offs, mask=mask) + 2.0 * acc, mask=mask)


class ModelNew(nn.Module):
    def forward(self, c, a, b):
        m, k = a.shape
        n = b.shape[1]
        work = torch.empty((4, m, n), device=a.device, dtype=torch.float32)
        out = torch.empty((m, n), device=a.device, dtype=a.dtype)
        span = max(32, k // 4 // 32 * 32)
        slice_kernel[(triton.cdiv(m, 32), triton.cdiv(n, 32), 4)](
            a, b, work, m, n, k, span, a.stride(0), a.stride(1), b.stride(0), b.stride(1), BM=32, BN=32, BK=32
        )
        finish_kernel[(triton.cdiv(m * n, 1024),)](work, c.contiguous(), out, m * n, SLICES=4, BLOCK=1024)
        return out
