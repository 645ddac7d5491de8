"""Tiles by heuristics, sums in float32, GELU and residual in the epilogue.

op: half_linear_gelu
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BK"] == 0})
@triton.jit
def _mm_epilogue(
    x_ptr,
    w_ptr,
    bias_ptr,
    res_ptr,
    out_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    col = tl.program_id(1) * BN + tl.arange(0, BN)
    # rows and columns beyond the end read the last one and are not stored
    row_in = tl.minimum(row, M - 1).to(tl.int64)
    col_in = tl.minimum(col, N - 1).to(tl.int64)
    kk = tl.arange(0, BK)
    xp = x_ptr + row_in[:, None] * K + kk[None, :]
    wp = w_ptr + col_in[None, :] * K + kk[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        if EVEN_K:
            a = tl.load(xp)
            b = tl.load(wp)
        else:
            left = K - k * BK
            a = tl.load(xp, mask=kk[None, :] < left, other=0.0)
            b = tl.load(wp, mask=kk[:, None] < left, other=0.0)
        acc += tl.dot(a, b)
        xp += BK
        wp += BK
    v = acc + tl.load(bias_ptr + col_in).to(tl.float32)[None, :]
    u = 0.7978845608028654 * v * (1.0 + 0.044715 * v * v)
    g = v * tl.sigmoid(2.0 * u)
    ok = (row < M)[:, None] & (col < N)[None, :]
    where = row_in[:, None] * N + col_in[None, :]
    g += tl.load(res_ptr + where, mask=ok, other=0.0).to(tl.float32)
    tl.store(out_ptr + where, g.to(out_ptr.dtype.element_ty), mask=ok)


class ModelNew(torch.nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = torch.nn.Linear(in_features, out_features).half()

    def forward(self, x, residual):
        x = x.contiguous()
        residual = residual.contiguous()
        weight = self.linear.weight.contiguous()
        bias = self.linear.bias.contiguous()
        M, K = x.shape
        N = weight.shape[0]
        out = torch.empty((M, N), device=x.device, dtype=x.dtype)
        _mm_epilogue[(triton.cdiv(M, 64), triton.cdiv(N, 128))](
            x, weight, bias, residual, out, M, N, K, BM=64, BN=128, BK=32, num_warps=4
        )
        return out
