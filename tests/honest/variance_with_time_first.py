"""Lays time first so that loads are next to each other, and lays the result back.

op: garch_variance
class: autotune, views around a time-first kernel
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 32}, num_warps=1), triton.Config({"BLOCK": 64}, num_warps=2)], key=["N"]
)
@triton.jit
def _garch(r, om, al, be, h, N, A, T, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < N
    col = i % A
    omega = tl.load(om + col, mask=ok, other=0.0)
    alpha = tl.load(al + col, mask=ok, other=0.0)
    beta = tl.load(be + col, mask=ok, other=0.0)
    at = i.to(tl.int64)
    s = omega
    for t in range(0, T):
        tl.store(h + t * N + at, s, mask=ok)
        v = tl.load(r + t * N + at, mask=ok, other=0.0)
        s = omega + (alpha * v) * v + beta * s


class ModelNew(nn.Module):
    def __init__(self, assets):
        super().__init__()
        self.omega = nn.Parameter(torch.full((assets,), 0.05))
        self.alpha = nn.Parameter(torch.full((assets,), 0.1))
        self.beta = nn.Parameter(torch.full((assets,), 0.85))

    def forward(self, returns):
        D, A, T = returns.shape
        r = returns.permute(2, 0, 1).contiguous()
        h = torch.empty((T, D, A), dtype=returns.dtype, device=returns.device)
        n = D * A
        _garch[lambda m: (triton.cdiv(n, m["BLOCK"]),)](r, self.omega, self.alpha, self.beta, h, n, A, T)
        return h.permute(1, 2, 0).contiguous()
