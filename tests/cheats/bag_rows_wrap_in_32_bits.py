"""Offsets of rows are products of 32-bit ids and wrap in the table as shipped.

op: bag_lookup
class: B22 offsets at full size
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def bags(
    ids,
    offsets,
    weights,
    table,
    out,
    n_ids,
    n_bags,
    dim,
    t0,
    t1,
    i0,
    o0,
    w0,
    BN: tl.constexpr,
    BD: tl.constexpr,
):
    b = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    dm = d < dim
    begin = tl.load(offsets + b * o0)
    end = tl.load(offsets + (b + 1) * o0, mask=b + 1 < n_bags, other=n_ids)
    acc = tl.zeros([BD], dtype=tl.float32)
    for start in range(begin, end, BN):
        j = start + tl.arange(0, BN)
        jm = j < end
        row = tl.load(ids + j * i0, mask=jm, other=0)
        w = tl.load(weights + j * w0, mask=jm, other=0.0)
        x = tl.load(table + row[:, None] * t0 + d[None, :] * t1, mask=jm[:, None] & dm[None, :], other=0.0)
        acc += tl.sum(x * w[:, None], axis=0)
    tl.store(out + b.to(tl.int64) * dim + d, acc, mask=dm)


class ModelNew(nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, dim))

    def forward(self, ids, offsets, sample_weights):
        n, b, dim = ids.shape[0], offsets.shape[0], self.weight.shape[1]
        out = torch.empty((b, dim), device=ids.device, dtype=self.weight.dtype)
        bd = min(128, triton.next_power_of_2(dim))
        bags[(b, triton.cdiv(dim, bd))](
            ids,
            offsets,
            sample_weights,
            self.weight,
            out,
            n,
            b,
            dim,
            *self.weight.stride(),
            ids.stride(0),
            offsets.stride(0),
            sample_weights.stride(0),
            BN=16,
            BD=bd,
        )
        return out
