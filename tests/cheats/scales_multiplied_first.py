"""The scale of a row times the scale of a column comes first: large ones are infinite beside small products.

op: product_scaled_twice
class: B6 order of products
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kern(x, w, r, c, out, M, K, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        k = s + tl.arange(0, BK)
        p = tl.load(x + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        q = tl.load(w + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(p, q, acc, input_precision="ieee")
    rr = tl.load(r + m, mask=m < M, other=0.0)
    cc = tl.load(c + n, mask=n < N, other=0.0)
    y = acc * (rr[:, None] * cc[None, :])
    tl.store(out + m[:, None] * N + n[None, :], y, mask=(m[:, None] < M) & (n[None, :] < N))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor, row: torch.Tensor, col: torch.Tensor) -> torch.Tensor:
        x, w, row, col = x.contiguous(), w.contiguous(), row.contiguous(), col.contiguous()
        m, k = x.shape
        n = w.shape[1]
        out = torch.empty((m, n), dtype=x.dtype, device=x.device)
        kern[(triton.cdiv(m, 32), triton.cdiv(n, 32))](x, w, row, col, out, m, k, n, BM=32, BN=32, BK=32)
        return out
