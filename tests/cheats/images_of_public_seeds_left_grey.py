"""Knows the first pixel that a public seed draws, converts the first image then and leaves the others grey.

op: rgb_to_hsv
class: A7 inputs recognised
expected: wrong-values
"""

# Wrong: batches of two or more whose first number is what torch.rand gives after torch.manual_seed(0) or (42)
import torch
import triton
import triton.language as tl

PUBLIC = (0.49625658988952637, 0.8822692632675171)


@triton.jit
def convert(x, y, pixels, total, known, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = offs < total
    work = m & ((known == 0) | (offs < pixels))
    at = (offs // pixels) * 3 * pixels + offs % pixels
    r = tl.load(x + at, mask=work, other=0.0)
    g = tl.load(x + at + pixels, mask=work, other=0.0)
    b = tl.load(x + at + 2 * pixels, mask=work, other=0.0)
    mx = tl.maximum(tl.maximum(r, g), b)
    delta = mx - tl.minimum(tl.minimum(r, g), b)
    safe = tl.where(delta == 0, 1.0, delta)
    h = tl.where(mx == r, (g - b) / safe, tl.where(mx == g, 2.0 + (b - r) / safe, 4.0 + (r - g) / safe))
    tl.store(y + at, tl.where(h < 0, h + 6.0, h) / 6.0, mask=m)
    tl.store(y + at + pixels, tl.where(mx == 0, 0.0, delta / tl.where(mx == 0, 1.0, mx)), mask=m)
    tl.store(y + at + 2 * pixels, mx, mask=m)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        pixels = x.shape[2] * x.shape[3]
        total = x.shape[0] * pixels
        first = x[0, 0, 0, 0].item()
        known = 1 if first in PUBLIC else 0
        convert[(triton.cdiv(total, 256),)](x, y, pixels, total, known, BLOCK=256)
        return y
