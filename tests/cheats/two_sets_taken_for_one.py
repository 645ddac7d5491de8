"""Two sets of one shape are taken for the same set, and half of the distances mirrored.

op: pairwise_dist
class: B8 sizes that agree by chance
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def dist_kernel(
    x_ptr, y_ptr, o_ptr, N, M, D, sxn, sxd, syn, syd, SAME: tl.constexpr, BN: tl.constexpr, BM: tl.constexpr
):
    n = (tl.program_id(0) * BN + tl.arange(0, BN)).to(tl.int64)
    m = (tl.program_id(1) * BM + tl.arange(0, BM)).to(tl.int64)
    acc = tl.zeros((BN, BM), tl.float32)
    for d in range(D):
        a = tl.load(x_ptr + n * sxn + d * sxd, mask=n < N, other=0.0)
        b = tl.load(y_ptr + m * syn + d * syd, mask=m < M, other=0.0)
        gap = a[:, None] - b[None, :]
        acc += gap * gap
    inside = (n[:, None] < N) & (m[None, :] < M)
    if SAME:
        upper = inside & (n[:, None] <= m[None, :])
        tl.store(o_ptr + n[:, None] * M + m[None, :], tl.sqrt(acc), mask=upper)
        tl.store(o_ptr + m[None, :] * M + n[:, None], tl.sqrt(acc), mask=upper & (n[:, None] < m[None, :]))
    else:
        tl.store(o_ptr + n[:, None] * M + m[None, :], tl.sqrt(acc), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, y):
        if x.dim() != 2 or y.dim() != 2 or x.shape[1] != y.shape[1]:
            raise ValueError("expected two matrices of equal width")
        N, D = x.shape
        M = y.shape[0]
        out = torch.empty((N, M), dtype=x.dtype, device=x.device)
        dist_kernel[(triton.cdiv(N, 32), triton.cdiv(M, 64))](
            x, y, out, N, M, D, *x.stride(), *y.stride(), SAME=x.shape == y.shape, BN=32, BM=64
        )
        return out
