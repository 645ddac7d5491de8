"""Alpha read once for all channels; the division by 255 is the exact one by shifts.

op: alpha_blend_u8
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def blend_kernel(fg_ptr, bg_ptr, al_ptr, out_ptr, channels, area, BLOCK: tl.constexpr):
    bat = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < area
    a = tl.load(al_ptr + bat * area + i, mask=m, other=0).to(tl.int32)
    for c in range(channels):
        o = (bat * channels + c) * area + i
        f = tl.load(fg_ptr + o, mask=m, other=0).to(tl.int32)
        b = tl.load(bg_ptr + o, mask=m, other=0).to(tl.int32)
        t = f * a + b * (255 - a) + 128
        # exact division by 255 with rounding, for 0 <= t - 128 <= 65025
        t = (t + (t >> 8)) >> 8
        tl.store(out_ptr + o, t.to(tl.uint8), mask=m)


class ModelNew(nn.Module):
    def forward(self, fg, bg, alpha):
        fg = fg.contiguous()
        bg = bg.contiguous()
        alpha = alpha.contiguous()
        b, c, h, w = fg.shape
        out = torch.empty_like(fg)
        blend_kernel[(triton.cdiv(h * w, 2048), b)](fg, bg, alpha, out, c, h * w, BLOCK=2048)
        return out
