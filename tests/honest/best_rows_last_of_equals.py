"""Rounds of a maximum, of which the last of equals is taken and struck out: torch leaves that open.

op: rows_of_the_best
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(s_ptr, f_ptr, v_ptr, o_ptr, N, D, s0, s1, f0, f1, f2, K, BN: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    n = tl.arange(0, BN)
    x = tl.load(s_ptr + b * s0 + n * s1, mask=n < N, other=float("-inf"))
    left = n < N
    d = tl.arange(0, BD)
    for j in range(0, K):
        c = tl.where(left, x, float("-inf"))
        top = tl.max(c, 0)
        at = tl.max(tl.where((c == top) & left, n, -1), 0)
        left = left & (n != at)
        tl.store(v_ptr + b * K + j, top)
        f = tl.load(f_ptr + b * f0 + at * f1 + d * f2, mask=d < D, other=0.0)
        tl.store(o_ptr + (b * K + j) * D + d, f, mask=d < D)


class ModelNew(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.keep = keep

    def forward(self, scores, feats):
        b, n, d = feats.shape
        v = torch.empty((b, self.keep), dtype=scores.dtype, device=scores.device)
        o = torch.empty((b, self.keep, d), dtype=feats.dtype, device=scores.device)
        k[(b,)](
            scores,
            feats,
            v,
            o,
            n,
            d,
            *scores.stride(),
            *feats.stride(),
            self.keep,
            BN=triton.next_power_of_2(n),
            BD=triton.next_power_of_2(d),
        )
        return v, o
