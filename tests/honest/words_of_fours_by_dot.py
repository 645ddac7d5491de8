"""Tiles of unpacked weights through tl.dot in IEEE precision.

op: words_of_fours_linear
class: tiles with tl.dot in full precision
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear_kernel(
    x_ptr,
    w_ptr,
    s_ptr,
    b_ptr,
    y_ptr,
    M,
    N,
    K,
    G,
    sx0,
    sx1,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(
            x_ptr + m[:, None] * sx0 + k[None, :] * sx1, mask=(m < M)[:, None] & (k < K)[None, :], other=0.0
        )
        wmask = (k < K)[:, None] & (n < N)[None, :]
        word = tl.load(w_ptr + (k // 8)[:, None] * N + n[None, :], mask=wmask, other=0)
        q = ((word >> ((k % 8) * 4)[:, None]) & 15) - 8
        s = tl.load(s_ptr + (k // G)[:, None] * N + n[None, :], mask=wmask, other=0.0)
        acc += tl.dot(x, q.to(tl.float32) * s, input_precision="ieee")
    bias = tl.load(b_ptr + n, mask=n < N, other=0.0)
    tl.store(
        y_ptr + m[:, None] * N + n[None, :], acc + bias[None, :], mask=(m < M)[:, None] & (n < N)[None, :]
    )


class ModelNew(nn.Module):
    def __init__(self, groups, words, out_features):
        super().__init__()
        self.register_buffer(
            "packed",
            torch.randint(-(2**31), 2**31 - 1, (groups * words, out_features), dtype=torch.int64).to(
                torch.int32
            ),
        )
        self.scales = nn.Parameter(torch.randn(groups, out_features) * 0.1)
        self.bias = nn.Parameter(torch.randn(out_features))

    def forward(self, x):
        M, K = x.shape
        N = self.scales.shape[1]
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        G = K // self.scales.shape[0]
        linear_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](
            x,
            self.packed,
            self.scales,
            self.bias,
            y,
            M,
            N,
            K,
            G,
            x.stride(0),
            x.stride(1),
            BM=32,
            BN=32,
            BK=32,
        )
        return y
