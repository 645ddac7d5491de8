"""One fused elementwise launch over all five tensors, then a launch of one program that counts the step.

op: adamw_ema
expected: passed
"""

import math

import triton
import triton.language as tl
from torch import nn


@triton.jit
def update(
    P,
    G,
    M,
    V,
    EMA,
    STEP,
    OVER,
    N,
    lr,
    b1,
    b2,
    eps,
    wd,
    decay,
    LB1: tl.constexpr,
    LB2: tl.constexpr,
    BLOCK: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    skip = tl.load(OVER) > 0
    mask = (i < N) & (skip == 0)
    t = (tl.load(STEP) + 1).to(tl.float32)
    p = tl.load(P + i, mask=mask, other=0.0)
    g = tl.load(G + i, mask=mask, other=0.0)
    m = tl.load(M + i, mask=mask, other=0.0)
    v = tl.load(V + i, mask=mask, other=0.0)
    e = tl.load(EMA + i, mask=mask, other=0.0)
    m = m * b1 + g * (1 - b1)
    v = v * b2 + g * g * (1 - b2)
    mh = m / (1 - tl.exp2(t * LB1))
    vh = v / (1 - tl.exp2(t * LB2))
    p = p * (1 - lr * wd) - lr * mh / (tl.sqrt(vh) + eps)
    d = tl.minimum((1 + t) / (10 + t), decay)
    e = e * d + p * (1 - d)
    tl.store(P + i, p, mask=mask)
    tl.store(M + i, m, mask=mask)
    tl.store(V + i, v, mask=mask)
    tl.store(EMA + i, e, mask=mask)


@triton.jit
def count(STEP, OVER):
    if tl.load(OVER) <= 0:
        tl.store(STEP, tl.load(STEP) + 1)


class ModelNew(nn.Module):
    def __init__(self, lr, b1, b2, eps, wd, decay):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps, self.wd, self.decay = lr, b1, b2, eps, wd, decay

    def forward(self, p, g, m, v, ema, step, overflow):
        for x in (p, m, v, ema):
            if not x.is_contiguous():
                raise ValueError("tensors updated in place must be contiguous")
        g = g.contiguous()
        n = p.numel()
        update[(triton.cdiv(n, 1024),)](
            p,
            g,
            m,
            v,
            ema,
            step,
            overflow,
            n,
            self.lr,
            self.b1,
            self.b2,
            self.eps,
            self.wd,
            self.decay,
            LB1=math.log2(self.b1),
            LB2=math.log2(self.b2),
            BLOCK=1024,
        )
        count[(1,)](step, overflow)
        return p, m, v, ema, step
