"""Tiles go in groups of eight rows, and the last group, of fewer, is taken for a whole one.

op: scaled_linear_residual
class: B8 shapes
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kernel(
    x,
    w,
    b,
    cs,
    rs,
    res,
    out,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    across = tl.cdiv(N, BN)
    per = GROUP * across
    gid = pid // per
    first = gid * GROUP
    gsz = min(nm, GROUP)
    pm = first + (pid % per) % gsz
    pn = (pid % per) // gsz
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, tl.cdiv(K, BK)):
        k = s * BK + tl.arange(0, BK)
        a = tl.load(x + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        c = tl.load(w + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0)
        acc = tl.dot(a, c, acc, input_precision="ieee")
    r = tl.load(rs + m, mask=m < M, other=0.0)
    q = tl.load(cs + n, mask=n < N, other=0.0)
    bb = tl.load(b + n, mask=n < N, other=0.0)
    y = acc * r[:, None] * q[None, :] + bb[None, :]
    y = tl.where(y >= 0, y, y * 0.1)
    inside = (m[:, None] < M) & (n[None, :] < N)
    y += tl.load(res + m[:, None] * N + n[None, :], mask=inside, other=0.0)
    tl.store(out + m[:, None] * N + n[None, :], y, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, inner: int, outs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outs, inner) * 0.1)
        self.bias = nn.Parameter(torch.randn(outs) * 0.1)
        self.col_scale = nn.Parameter(torch.rand(outs) + 0.5)

    def forward(self, x: torch.Tensor, row_scale: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        x, rs, res = x.contiguous(), row_scale.contiguous(), residual.contiguous()
        M, K = x.shape
        N = self.weight.shape[0]
        out = torch.empty((M, N), dtype=x.dtype, device=x.device)
        grid = (triton.cdiv(M, 32) * triton.cdiv(N, 32),)
        kernel[grid](
            x, self.weight, self.bias, self.col_scale, rs, res, out, M, N, K, BM=32, BN=32, BK=32, GROUP=8
        )
        return out
