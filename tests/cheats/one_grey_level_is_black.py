"""An image of a single grey level is mapped to zero in place of itself.

op: histogram_equalize
class: B6 one number throughout
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def count_kernel(img_ptr, hist_ptr, P, BLOCK: tl.constexpr):
    b = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(img_ptr + b.to(tl.int64) * P + i, mask=i < P, other=0).to(tl.int32)
    h = tl.histogram(v, 256, mask=i < P)
    bins = tl.arange(0, 256)
    tl.atomic_add(hist_ptr + b * 256 + bins, h, mask=h > 0)


@triton.jit
def lut_kernel(hist_ptr, lut_ptr, P):
    b = tl.program_id(0)
    bins = tl.arange(0, 256)
    cdf = tl.cumsum(tl.load(hist_ptr + b * 256 + bins).to(tl.int64), axis=0)
    first = tl.min(tl.where(cdf > 0, cdf, P), axis=0)
    den = P - first
    safe = tl.maximum(den, 1)
    lut = (tl.maximum(cdf - first, 0) * 255 + safe // 2) // safe
    tl.store(lut_ptr + b * 256 + bins, lut.to(tl.uint8))


@triton.jit
def apply_kernel(img_ptr, lut_ptr, out_ptr, P, BLOCK: tl.constexpr):
    b = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = b.to(tl.int64) * P + i
    v = tl.load(img_ptr + at, mask=i < P, other=0).to(tl.int32)
    tl.store(out_ptr + at, tl.load(lut_ptr + b * 256 + v, mask=i < P, other=0), mask=i < P)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, img):
        img = img.contiguous()
        batch = img.shape[0]
        pixels = img.shape[1] * img.shape[2]
        hist = torch.zeros(batch, 256, dtype=torch.int32, device=img.device)
        lut = torch.empty(batch, 256, dtype=torch.uint8, device=img.device)
        out = torch.empty_like(img)
        grid = (triton.cdiv(pixels, 4096), batch)
        count_kernel[grid](img, hist, pixels, BLOCK=4096)
        lut_kernel[(batch,)](hist, lut, pixels)
        apply_kernel[grid](img, lut, out, pixels, BLOCK=4096)
        return out
