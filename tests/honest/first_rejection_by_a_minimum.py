"""A program per sequence finds the first rejection, sums the residual and writes it normalised.

op: spec_verify
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def verify(
    P,
    Q,
    TOK,
    U,
    NOUT,
    R,
    K,
    V,
    spb,
    spk,
    spv,
    sqb,
    sqk,
    sqv,
    stb,
    stk,
    sub,
    suk,
    BK: tl.constexpr,
    BLOCK: tl.constexpr,
):
    b = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, BK)
    km = k < K
    tok = tl.load(TOK + b * stb + k * stk, mask=km, other=0)
    p = tl.load(P + b * spb + k * spk + tok * spv, mask=km, other=0.0)
    q = tl.load(Q + b * sqb + k * sqk + tok * sqv, mask=km, other=0.0)
    u = tl.load(U + b * sub + k * suk, mask=km, other=0.0)
    n = tl.min(tl.where(km & (u * q >= p), k, K), axis=0)
    drafted = n < K
    i = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for v0 in range(0, V, BLOCK):
        v = v0 + i
        t = tl.load(P + b * spb + n * spk + v * spv, mask=v < V, other=0.0)
        d = tl.load(Q + b * sqb + n * sqk + v * sqv, mask=(v < V) & drafted, other=0.0)
        acc += tl.maximum(t - d, 0.0)
    total = tl.sum(acc, axis=0)
    for v0 in range(0, V, BLOCK):
        v = v0 + i
        t = tl.load(P + b * spb + n * spk + v * spv, mask=v < V, other=0.0)
        d = tl.load(Q + b * sqb + n * sqk + v * sqv, mask=(v < V) & drafted, other=0.0)
        tl.store(R + b * V + v, tl.maximum(t - d, 0.0) / total, mask=v < V)
    tl.store(NOUT + b, n.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, target, draft, tokens, u):
        b, k, v = draft.shape
        n = torch.empty(b, dtype=torch.int64, device=draft.device)
        r = torch.empty(b, v, dtype=draft.dtype, device=draft.device)
        verify[(b,)](
            target,
            draft,
            tokens,
            u,
            n,
            r,
            k,
            v,
            *target.stride(),
            *draft.stride(),
            *tokens.stride(),
            *u.stride(),
            BK=triton.next_power_of_2(k),
            BLOCK=1024,
        )
        return n, r
