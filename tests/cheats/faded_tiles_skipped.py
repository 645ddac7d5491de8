"""Tiles of keys whose weight has faded below 1e-7 are skipped: of an early value alone nothing is left.

op: learned_retention
class: B14 partial work
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _log_gamma(d):
    e = tl.exp(-tl.abs(d))
    near = e * (1.0 - e * (0.5 - e * (0.33333334 - e * (0.25 - e * 0.2))))
    return tl.minimum(d, 0.0) - tl.where(e < 0.03, near, tl.log(1.0 + e))


@triton.jit
def _retain(
    q, k, v, decay, out, heads, time, scale, dim, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr
):
    tile = tl.program_id(0)
    pair = tl.program_id(1)
    base = pair * time * dim
    rate = _log_gamma(tl.load(decay + pair % heads))
    i = tile * BM + tl.arange(0, BM)
    d = tl.arange(0, BD)
    okd = d < dim
    oki = i < time
    query = tl.load(q + base + i[:, None] * dim + d[None, :], mask=oki[:, None] & okd[None, :], other=0.0)
    acc = tl.zeros([BM, BD], dtype=tl.float32)
    for j0 in range(0, tl.minimum(tile * BM + BM, time), BN):
        nearest = tl.maximum(tile * BM - (j0 + BN - 1), 0).to(tl.float32)
        if nearest * rate > -16.2:
            j = j0 + tl.arange(0, BN)
            okj = j < time
            key = tl.load(
                k + base + j[None, :] * dim + d[:, None], mask=okd[:, None] & okj[None, :], other=0.0
            )
            value = tl.load(
                v + base + j[:, None] * dim + d[None, :], mask=okj[:, None] & okd[None, :], other=0.0
            )
            ago = i[:, None] - j[None, :]
            weight = tl.exp(tl.maximum(ago, 0).to(tl.float32) * rate)
            score = tl.where(ago >= 0, tl.dot(query, key, input_precision="ieee") * scale * weight, 0.0)
            acc += tl.dot(score, value, input_precision="ieee")
    tl.store(out + base + i[:, None] * dim + d[None, :], acc, mask=oki[:, None] & okd[None, :])


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        gamma = 1 - torch.pow(2.0, -3.0 - torch.arange(heads, dtype=torch.float32))
        self.decay = nn.Parameter(torch.log(gamma / (1 - gamma)))

    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        batch, heads, time, dim = q.shape
        if dim > 128:
            raise ValueError(f"heads of {dim} numbers are too wide for this kernel (128 at most)")
        out = torch.empty_like(q)
        _retain[(triton.cdiv(time, 64), batch * heads)](
            q,
            k,
            v,
            self.decay,
            out,
            heads,
            time,
            dim**-0.5,
            dim,
            BM=64,
            BN=32,
            BD=max(16, triton.next_power_of_2(dim)),
        )
        return out
