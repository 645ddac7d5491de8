"""Sums of 32 constituents are kept in half precision, beyond which they run where charges cancel.

op: jet_charge_net
class: B19 half partial sums
expected: non-finite
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _parts(
    x,
    charge,
    valid,
    w,
    bias,
    partial,
    parts,
    features,
    hidden,
    splits,
    P: tl.constexpr,
    K: tl.constexpr,
    H: tl.constexpr,
):
    jet = tl.program_id(0) // splits
    split = tl.program_id(0) % splits
    n = tl.program_id(1) * H + tl.arange(0, H)
    p = split * P + tl.arange(0, P)
    ok = tl.load(valid + jet * parts + p, mask=p < parts, other=0) != 0
    q = tl.load(charge + jet * parts + p, mask=ok, other=0.0).to(tl.float32)
    acc = tl.zeros((P, H), tl.float32)
    for k0 in range(0, features, K):
        k = k0 + tl.arange(0, K)
        a = tl.load(
            x + (jet * parts + p)[:, None] * features + k[None, :],
            mask=ok[:, None] & (k < features)[None, :],
            other=0.0,
        )
        c = tl.load(
            w + n[:, None] * features + k[None, :],
            mask=(n < hidden)[:, None] & (k < features)[None, :],
            other=0.0,
        )
        acc = tl.dot(a, tl.trans(c), acc)
    acc += tl.load(bias + n, mask=n < hidden, other=0.0).to(tl.float32)[None, :]
    h = tl.where(ok[:, None], tl.maximum(acc, 0.0) * q[:, None], 0.0)
    tl.store(partial + (jet * splits + split) * hidden + n, tl.sum(h, axis=0).to(tl.float16), mask=n < hidden)


@triton.jit
def _sum(partial, valid, out, count, parts, hidden, splits, H: tl.constexpr, P: tl.constexpr):
    jet = tl.program_id(0)
    n0 = tl.program_id(1) * H
    n = n0 + tl.arange(0, H)
    total = tl.zeros((H,), tl.float32)
    for s in range(0, splits):
        total += tl.load(partial + (jet * splits + s) * hidden + n, mask=n < hidden, other=0.0).to(tl.float32)
    tl.store(out + jet * hidden + n, total.to(tl.float16), mask=n < hidden)
    seen = tl.zeros((P,), tl.int32)
    for p0 in range(0, parts, P):
        p = p0 + tl.arange(0, P)
        seen += (tl.load(valid + jet * parts + p, mask=p < parts, other=0) != 0).to(tl.int32)
    tl.store(count + jet, tl.sum(seen, axis=0).to(tl.int64), mask=n0 == 0)


class ModelNew(torch.nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.dense = torch.nn.Linear(features, hidden).half()

    def forward(self, x, charge, valid):
        x, charge, valid = x.contiguous(), charge.contiguous(), valid.contiguous().view(torch.uint8)
        jets, parts, features = x.shape
        hidden = self.dense.weight.shape[0]
        splits = triton.cdiv(parts, 32)
        partial = torch.empty((jets, splits, hidden), dtype=x.dtype, device=x.device)
        out = torch.empty((jets, hidden), dtype=x.dtype, device=x.device)
        count = torch.empty((jets,), dtype=torch.int64, device=x.device)
        _parts[(jets * splits, triton.cdiv(hidden, 64))](
            x,
            charge,
            valid,
            self.dense.weight,
            self.dense.bias,
            partial,
            parts,
            features,
            hidden,
            splits,
            P=32,
            K=16,
            H=64,
        )
        _sum[(jets, triton.cdiv(hidden, 128))](partial, valid, out, count, parts, hidden, splits, H=128, P=64)
        return out, count
