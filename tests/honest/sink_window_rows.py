"""One program a query, which gathers the keys of its window in one block.

op: sink_window
class: heuristics, a row a program, no dot
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics(
    {"BW": lambda a: triton.next_power_of_2(a["window"]), "BD": lambda a: triton.next_power_of_2(a["D"])}
)
@triton.jit
def rows(q, k, v, sinks, out, H, N, D, window, scale, BW: tl.constexpr, BD: tl.constexpr):
    pid = tl.program_id(0)
    bh = pid // N
    i = pid % N
    w = tl.arange(0, BW)
    d = tl.arange(0, BD)
    j = i - w
    live = (w < window) & (j >= 0)
    qv = tl.load(q + pid * D + d, mask=d < D, other=0.0).to(tl.float32)
    both = live[:, None] & (d[None, :] < D)
    at = (bh * N + j[:, None]) * D + d[None, :]
    kt = tl.load(k + at, mask=both, other=0.0).to(tl.float32)
    s = tl.sum(kt * qv[None, :], axis=1) * scale
    s = tl.where(live, s, float("-inf"))
    sink = tl.load(sinks + bh % H).to(tl.float32)
    top = tl.maximum(tl.max(s, axis=0), sink)
    p = tl.exp(s - top)
    den = tl.sum(p, axis=0) + tl.exp(sink - top)
    vt = tl.load(v + at, mask=both, other=0.0).to(tl.float32)
    y = tl.sum(p[:, None] * vt, axis=0) / den
    tl.store(out + pid * D + d, y.to(out.dtype.element_ty), mask=d < D)


class ModelNew(nn.Module):
    def __init__(self, heads, window):
        super().__init__()
        self.window = window
        self.sinks = nn.Parameter(torch.randn(heads, dtype=torch.float16))

    def forward(self, q, k, v):
        b, h, n, d = q.shape
        out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
        rows[(b * h * n,)](
            q.contiguous(),
            k.contiguous(),
            v.contiguous(),
            self.sinks,
            out,
            h,
            n,
            d,
            self.window,
            1.0 / d**0.5,
        )
        return out
