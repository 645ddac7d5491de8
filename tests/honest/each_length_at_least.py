"""Each length is 1e-8 at least.

op: cosines_with_prototypes
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cos_kernel(x_ptr, w_ptr, out_ptr, N, P, D, BN: tl.constexpr, BP: tl.constexpr, BD: tl.constexpr):
    i = tl.program_id(0) * BN + tl.arange(0, BN)
    j = tl.program_id(1) * BP + tl.arange(0, BP)
    dot = tl.zeros((BN, BP), tl.float32)
    xx = tl.zeros((BN,), tl.float32)
    ww = tl.zeros((BP,), tl.float32)
    for start in range(0, D, BD):
        d = start + tl.arange(0, BD)
        x = tl.load(
            x_ptr + i[:, None].to(tl.int64) * D + d[None, :],
            mask=(i[:, None] < N) & (d[None, :] < D),
            other=0.0,
        )
        w = tl.load(
            w_ptr + j[:, None].to(tl.int64) * D + d[None, :],
            mask=(j[:, None] < P) & (d[None, :] < D),
            other=0.0,
        )
        dot += tl.dot(x, tl.trans(w), input_precision="ieee")
        xx += tl.sum(x * x, 1)
        ww += tl.sum(w * w, 1)
    xn = tl.maximum(tl.sqrt(xx), 1e-8)
    wn = tl.maximum(tl.sqrt(ww), 1e-8)
    out = dot / (xn[:, None] * wn[None, :])
    tl.store(
        out_ptr + i[:, None].to(tl.int64) * P + j[None, :], out, mask=(i[:, None] < N) & (j[None, :] < P)
    )


class ModelNew(nn.Module):
    def __init__(self, prototypes, dim):
        super().__init__()
        self.prototypes = nn.Parameter(torch.randn(prototypes, dim))

    def forward(self, x):
        x = x.contiguous()
        N, D = x.shape
        P = self.prototypes.shape[0]
        out = torch.empty((N, P), dtype=x.dtype, device=x.device)
        if N * P > 0:
            cos_kernel[(triton.cdiv(N, 32), triton.cdiv(P, 32))](
                x, self.prototypes, out, N, P, D, BN=32, BP=32, BD=32
            )
        return out
