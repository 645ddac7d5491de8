"""Tiled product with weights unpacked in registers; full float32 in tl.dot.

op: w4_linear
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _matmul(
    x_ptr,
    q_ptr,
    z_ptr,
    s_ptr,
    b_ptr,
    y_ptr,
    M,
    N,
    K,
    group,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    tiles = tl.cdiv(N, BN)
    m = (tl.program_id(0) // tiles) * BM + tl.arange(0, BM)
    n = (tl.program_id(0) % tiles) * BN + tl.arange(0, BN)
    in_m, in_n = m < M, n < N
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        in_k = k < K
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=in_m[:, None] & in_k[None, :], other=0.0)
        wm = in_k[:, None] & in_n[None, :]
        word = tl.load(q_ptr + (k // 8)[:, None] * N + n[None, :], mask=wm, other=0)
        q = (word >> ((k % 8) * 4)[:, None]) & 15
        g = k // group
        zword = tl.load(z_ptr + g[:, None] * (N // 8) + (n // 8)[None, :], mask=wm, other=0)
        z = (zword >> ((n % 8) * 4)[None, :]) & 15
        s = tl.load(s_ptr + g[:, None] * N + n[None, :], mask=wm, other=0.0)
        w = (q - z).to(tl.float32) * s
        acc = tl.dot(x, w, acc, input_precision="ieee")
    acc += tl.load(b_ptr + n, mask=in_n, other=0.0)[None, :]
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=in_m[:, None] & in_n[None, :])


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, group):
        super().__init__()
        self.group = group
        lo, hi = -(2**31), 2**31
        self.register_buffer(
            "qweight", torch.randint(lo, hi, (in_features // 8, out_features)).to(torch.int32)
        )
        self.register_buffer(
            "qzeros", torch.randint(lo, hi, (in_features // group, out_features // 8)).to(torch.int32)
        )
        self.scales = nn.Parameter(torch.rand(in_features // group, out_features) * 0.02 + 0.005)
        self.bias = nn.Parameter(torch.randn(out_features) * 0.1)

    def forward(self, x):
        x = x.contiguous()
        M, K = x.shape
        N = self.scales.shape[1]
        y = torch.empty((M, N), dtype=x.dtype, device=x.device)
        _matmul[(triton.cdiv(M, 32) * triton.cdiv(N, 64),)](
            x,
            self.qweight,
            self.qzeros,
            self.scales,
            self.bias,
            y,
            M,
            N,
            K,
            self.group,
            BM=32,
            BN=64,
            BK=32,
            num_warps=4,
        )
        return y
