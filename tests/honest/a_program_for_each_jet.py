"""A program holds a jet and a block of hidden units; constituents by 16, features by 32, sums in float32.

op: jet_charge_net
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _jet(
    x,
    charge,
    valid,
    w,
    bias,
    out,
    count,
    parts,
    features,
    hidden,
    P: tl.constexpr,
    K: tl.constexpr,
    H: tl.constexpr,
):
    jet = tl.program_id(0)
    n = tl.program_id(1) * H + tl.arange(0, H)
    b = tl.load(bias + n, mask=n < hidden, other=0.0).to(tl.float32)
    total = tl.zeros((H,), tl.float32)
    seen = tl.zeros((P,), tl.int64)
    for p0 in range(0, parts, P):
        p = p0 + tl.arange(0, P)
        ok = tl.load(valid + jet * parts + p, mask=p < parts, other=0) != 0
        q = tl.load(charge + jet * parts + p, mask=p < parts, other=0.0).to(tl.float32)
        acc = tl.zeros((P, H), tl.float32)
        for k0 in range(0, features, K):
            k = k0 + tl.arange(0, K)
            a = tl.load(
                x + (jet * parts + p)[:, None] * features + k[None, :],
                mask=(p < parts)[:, None] & (k < features)[None, :],
                other=0.0,
            )
            c = tl.load(
                w + n[None, :] * features + k[:, None],
                mask=(n < hidden)[None, :] & (k < features)[:, None],
                other=0.0,
            )
            acc += tl.dot(a, c)
        h = tl.maximum(acc + b[None, :], 0.0) * q[:, None]
        total += tl.sum(tl.where(ok[:, None], h, 0.0), axis=0)
        seen += ok.to(tl.int64)
    tl.store(out + jet * hidden + n, total.to(tl.float16), mask=n < hidden)
    if tl.program_id(1) == 0:
        tl.store(count + jet, tl.sum(seen, axis=0))


class ModelNew(torch.nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.dense = torch.nn.Linear(features, hidden).half()

    def forward(self, x, charge, valid):
        x, charge, valid = x.contiguous(), charge.contiguous(), valid.contiguous()
        jets, parts, features = x.shape
        hidden = self.dense.weight.shape[0]
        out = torch.empty((jets, hidden), dtype=x.dtype, device=x.device)
        count = torch.empty((jets,), dtype=torch.int64, device=x.device)
        _jet[(jets, triton.cdiv(hidden, 32))](
            x,
            charge,
            valid.view(torch.uint8),
            self.dense.weight,
            self.dense.bias,
            out,
            count,
            parts,
            features,
            hidden,
            P=16,
            K=32,
            H=32,
        )
        return out, count
