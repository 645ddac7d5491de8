"""Leaves tokens of other sequences out by multiplying them by zero, which lets their NaN and infinity in.

op: mean_of_packed_sequences
class: B16 non-finite values of others let in
expected: non-finite
"""

import torch
import triton
import triton.language as tl


@triton.jit
def seq_mean(x, offsets, out, T, D, BT: tl.constexpr, BD: tl.constexpr):
    n = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    lo = tl.load(offsets + n)
    hi = tl.load(offsets + n + 1)
    acc = tl.zeros((BD,), dtype=tl.float32)
    for t0 in range(0, T, BT):
        t = t0 + tl.arange(0, BT)
        v = tl.load(x + t[:, None] * D + d[None, :], mask=(t < T)[:, None] & (d < D)[None, :], other=0.0)
        own = ((t >= lo) & (t < hi)).to(tl.float32)
        acc += tl.sum(v * own[:, None], 0)
    tl.store(out + n * D + d, acc / tl.maximum(hi - lo, 1).to(tl.float32), mask=d < D)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, offsets):
        x = x.contiguous()
        offsets = offsets.contiguous()
        n = offsets.shape[0] - 1
        T, D = x.shape
        out = torch.empty((n, D), dtype=x.dtype, device=x.device)
        seq_mean[(n, triton.cdiv(D, 32))](x, offsets, out, T, D, BT=32, BD=32)
        return out
