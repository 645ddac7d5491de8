"""The last minimum is an atomic one into a torch.empty that nobody fills, so it depends on what memory held.

op: min_path
class: B5 stale memory of torch.empty
expected: unwritten-read
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relax(costs, old, new, out, i, H, W, FIRST: tl.constexpr, LAST: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.program_id(1)
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = x < W
    inf = float("inf")
    c = tl.load(costs + (b * H + i) * W + x, mask=ok, other=inf)
    if not FIRST:
        left = tl.load(old + b * W + x - 1, mask=ok & (x > 0), other=inf)
        here = tl.load(old + b * W + x, mask=ok, other=inf)
        right = tl.load(old + b * W + x + 1, mask=x + 1 < W, other=inf)
        c += tl.minimum(tl.minimum(left, here), right)
    if LAST:
        tl.atomic_min(out + b, tl.min(c, 0))
    else:
        tl.store(new + b * W + x, c, mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, costs):
        costs = costs.contiguous()
        b, h, w = costs.shape
        old = torch.empty((b, w), dtype=costs.dtype, device=costs.device)
        new = torch.empty_like(old)
        # wrong at any input wherever fresh memory holds less than the answer (or NaN)
        out = torch.empty(b, dtype=costs.dtype, device=costs.device)
        for i in range(h):
            relax[(triton.cdiv(w, 64), b)](
                costs, old, new, out, i, h, w, FIRST=i == 0, LAST=i == h - 1, BLOCK=64
            )
            old, new = new, old
        return out
