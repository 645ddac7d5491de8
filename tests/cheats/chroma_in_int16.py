"""Chroma is summed in int16, which pure blue and pure red run over by one.

op: rgb_to_ycbcr
class: B6 bytes at their ends
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def saturate(v):
    return tl.minimum(tl.maximum(v, 0), 255).to(tl.uint8)


@triton.jit
def convert_kernel(x_ptr, y_ptr, H, W, sb, sh, sw, sc, BLOCK: tl.constexpr):
    img = tl.program_id(0).to(tl.int64)
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    size = H * W
    m = o < size
    src = x_ptr + img * sb + (o // W) * sh + (o % W) * sw
    r = tl.load(src, mask=m, other=0).to(tl.int32)
    g = tl.load(src + sc, mask=m, other=0).to(tl.int32)
    b = tl.load(src + 2 * sc, mask=m, other=0).to(tl.int32)
    y = (77 * r + 150 * g + 29 * b + 128) >> 8
    # chroma sums stay within -32640 and 32640: half the registers
    r16 = r.to(tl.int16)
    g16 = g.to(tl.int16)
    b16 = b.to(tl.int16)
    cb = ((-43 * r16 - 85 * g16 + 128 * b16 + 128) >> 8) + 128
    cr = ((128 * r16 - 107 * g16 - 21 * b16 + 128) >> 8) + 128
    dst = y_ptr + img * 3 * size + o
    tl.store(dst, saturate(y), mask=m)
    tl.store(dst + size, saturate(cb), mask=m)
    tl.store(dst + 2 * size, saturate(cr), mask=m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, image):
        b, h, w, _ = image.shape
        out = torch.empty((b, 3, h, w), device=image.device, dtype=torch.uint8)
        convert_kernel[(b, triton.cdiv(h * w, 512))](image, out, h, w, *image.stride(), BLOCK=512)
        return out
