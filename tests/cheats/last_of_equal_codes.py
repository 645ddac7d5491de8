"""A later block replaces an equal distance, so that of a code that stands twice the last place is given.

op: vq_nearest
class: B7 rows of weights twice
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _nearest(
    x, cb, idx, out, N, KC, D, sxn, sxd, scn, scd, BN: tl.constexpr, BK: tl.constexpr, BD: tl.constexpr
):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    best = tl.full((BN,), float("inf"), tl.float32)
    at = tl.zeros((BN,), tl.int32)
    for k0 in range(0, KC, BK):
        k = k0 + tl.arange(0, BK)
        dist = tl.zeros((BN, BK), tl.float32)
        for d in range(0, D):
            xv = tl.load(x + n * sxn + d * sxd, mask=n < N, other=0.0)
            cv = tl.load(cb + k * scn + d * scd, mask=k < KC, other=0.0)
            diff = xv[:, None] - cv[None, :]
            dist += diff * diff
        dist = tl.where((k < KC)[None, :], dist, float("inf"))
        here, where = tl.min(dist, 1, return_indices=True, return_indices_tie_break_left=True)
        better = here <= best
        at = tl.where(better, k0 + where, at)
        best = tl.where(better, here, best)
    tl.store(idx + n, at.to(tl.int64), mask=n < N)
    dd = tl.arange(0, BD)
    ok = (n < N)[:, None] & (dd < D)[None, :]
    tl.store(
        out + n[:, None] * D + dd[None, :],
        tl.load(cb + at[:, None] * scn + dd[None, :] * scd, mask=ok, other=0.0),
        mask=ok,
    )


class ModelNew(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.codebook = nn.Parameter(torch.randn(codes, width))

    def forward(self, x):
        N, D = x.shape
        KC = self.codebook.shape[0]
        idx = torch.empty((N,), device=x.device, dtype=torch.int64)
        out = torch.empty((N, D), device=x.device, dtype=x.dtype)
        _nearest[(triton.cdiv(N, 32),)](
            x,
            self.codebook,
            idx,
            out,
            N,
            KC,
            D,
            *x.stride(),
            *self.codebook.stride(),
            BN=32,
            BK=64,
            BD=triton.next_power_of_2(D),
        )
        return idx, out
