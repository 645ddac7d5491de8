"""One program per sequence and block of columns adds up its tokens.

op: mean_of_packed_sequences
class: loop with bounds read from the offsets
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def seq_mean(x, offsets, out, D, sxt, sxd, so, BT: tl.constexpr, BD: tl.constexpr):
    n = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    lo = tl.load(offsets + n * so)
    hi = tl.load(offsets + (n + 1) * so)
    acc = tl.zeros((BD,), dtype=tl.float32)
    for t0 in range(lo, hi, BT):
        t = t0 + tl.arange(0, BT)
        v = tl.load(
            x + t[:, None] * sxt + d[None, :] * sxd, mask=(t < hi)[:, None] & (d < D)[None, :], other=0.0
        )
        acc += tl.sum(v, 0)
    cnt = tl.maximum(hi - lo, 1).to(tl.float32)
    tl.store(out + n * D + d, acc / cnt, mask=d < D)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, offsets):
        n = offsets.shape[0] - 1
        D = x.shape[1]
        out = torch.empty((n, D), dtype=x.dtype, device=x.device)
        seq_mean[(n, triton.cdiv(D, 32))](
            x, offsets, out, D, x.stride(0), x.stride(1), offsets.stride(0), BT=8, BD=32
        )
        return out
