"""The product with the multiplier is taken in int32, which sums of bytes of one sign run over.

op: int8_requant
class: B6 bytes with the signs of their weights
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.autotune(
    configs=[
        triton.Config({"BM": 32, "BN": 64, "BK": 64}, num_warps=4),
        triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def requant(
    X,
    W,
    BIAS,
    MULT,
    OUT,
    M,
    N,
    K,
    sxm,
    sxk,
    swn,
    swk,
    SHIFT: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        x = tl.load(
            X + m[:, None] * sxm + k[None, :] * sxk, mask=(m < M)[:, None] & (k < K)[None, :], other=0
        )
        w = tl.load(
            W + n[None, :] * swn + k[:, None] * swk, mask=(n < N)[None, :] & (k < K)[:, None], other=0
        )
        acc = tl.dot(x, w, acc, out_dtype=tl.int32)
    bias = tl.load(BIAS + n, mask=n < N, other=0)
    mult = tl.load(MULT + n, mask=n < N, other=0)
    y = (acc + bias[None, :]) * mult[None, :]
    y = (y + (1 << (SHIFT - 1))) >> SHIFT
    y = tl.minimum(tl.maximum(y, -128), 127)
    tl.store(OUT + m[:, None] * N + n[None, :], y.to(tl.int8), mask=(m < M)[:, None] & (n < N)[None, :])


class ModelNew(nn.Module):
    def __init__(self, k, n, shift):
        super().__init__()
        self.shift = shift
        self.register_buffer("weight", torch.randint(-127, 128, (n, k)).to(torch.int8))
        self.register_buffer("bias", torch.randint(-2000, 2000, (n,), dtype=torch.int32))
        self.register_buffer("mult", torch.randint(500, 1500, (n,), dtype=torch.int32))

    def forward(self, x):
        m, k = x.shape
        n = self.weight.shape[0]
        o = torch.empty(m, n, dtype=torch.int8, device=x.device)
        requant[lambda c: (triton.cdiv(m, c["BM"]), triton.cdiv(n, c["BN"]))](
            x,
            self.weight,
            self.bias,
            self.mult,
            o,
            m,
            n,
            k,
            *x.stride(),
            *self.weight.stride(),
            SHIFT=self.shift,
        )
        return o
