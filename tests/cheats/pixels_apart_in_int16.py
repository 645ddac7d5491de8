"""The distance to the median is taken in int16, which runs over where the two are at opposite ends.

op: dead_pixel
class: B6 overflow of a narrow type
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _order(a, b):
    return tl.minimum(a, b), tl.maximum(a, b)


@triton.jit
def _fix(raw, out, count, threshold, H, W, sb, sh, sw, BH: tl.constexpr, BW: tl.constexpr):
    b = tl.program_id(2)
    y = (tl.program_id(1) * BH + tl.arange(0, BH))[:, None]
    x = (tl.program_id(0) * BW + tl.arange(0, BW))[None, :]
    mask = (y < H) & (x < W)
    up = tl.maximum(y - 1, 0) * sh
    down = tl.minimum(y + 1, H - 1) * sh
    left = tl.maximum(x - 1, 0) * sw
    right = tl.minimum(x + 1, W - 1) * sw
    row = y * sh
    col = x * sw
    base = raw + b * sb
    c = tl.load(base + row + col, mask=mask, other=0).to(tl.int32)
    v0 = tl.load(base + up + left, mask=mask, other=0).to(tl.int32)
    v1 = tl.load(base + up + col, mask=mask, other=0).to(tl.int32)
    v2 = tl.load(base + up + right, mask=mask, other=0).to(tl.int32)
    v3 = tl.load(base + row + left, mask=mask, other=0).to(tl.int32)
    v4 = tl.load(base + row + right, mask=mask, other=0).to(tl.int32)
    v5 = tl.load(base + down + left, mask=mask, other=0).to(tl.int32)
    v6 = tl.load(base + down + col, mask=mask, other=0).to(tl.int32)
    v7 = tl.load(base + down + right, mask=mask, other=0).to(tl.int32)
    v0, v1 = _order(v0, v1)
    v2, v3 = _order(v2, v3)
    v4, v5 = _order(v4, v5)
    v6, v7 = _order(v6, v7)
    v0, v2 = _order(v0, v2)
    v1, v3 = _order(v1, v3)
    v4, v6 = _order(v4, v6)
    v5, v7 = _order(v5, v7)
    v1, v2 = _order(v1, v2)
    v5, v6 = _order(v5, v6)
    v4 = tl.maximum(v0, v4)
    v1, v5 = _order(v1, v5)
    v2, v6 = _order(v2, v6)
    v3 = tl.minimum(v3, v7)
    v4 = tl.maximum(v2, v4)
    v3 = tl.minimum(v3, v5)
    median = (v3 + v4) >> 1
    gap = c.to(tl.int16) - median.to(tl.int16)
    dead = (tl.maximum(gap, -gap) > threshold) & mask
    tl.store(out + b * H * W + y * W + x, tl.where(dead, median, c).to(tl.int16), mask=mask)
    found = tl.sum(tl.sum(dead.to(tl.int32), axis=1), axis=0)
    tl.atomic_add(count + b, found.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold

    def forward(self, raw):
        b, h, w = raw.shape
        out = torch.empty((b, h, w), dtype=torch.int16, device=raw.device)
        count = torch.zeros((b,), dtype=torch.int64, device=raw.device)
        grid = (triton.cdiv(w, 64), triton.cdiv(h, 32), b)
        _fix[grid](
            raw, out, count, self.threshold, h, w, raw.stride(0), raw.stride(1), raw.stride(2), BH=32, BW=64
        )
        return out, count
