"""Keeps the offset within a plane in sixteen bits.

op: pooled_edges
class: B22 narrow offsets beyond the shipped size
expected: out-of-bounds
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


# wrong where height * width > 32768 (400 x 90, 182 x 182): offsets wrap below zero; 34 x 26 as shipped
@triton.jit
def _pool(x, o, H, W, OH, OW, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    ow = i % OW
    oh = (i // OW) % OH
    plane = i // (OW * OH)
    acc = tl.zeros([BLOCK], tl.float32)
    count = tl.zeros([BLOCK], tl.float32)
    for dh in tl.static_range(3):
        for dw in tl.static_range(3):
            h = oh * 2 - 1 + dh
            w = ow * 2 - 1 + dw
            inside = ok & (h >= 0) & (h < H) & (w >= 0) & (w < W)
            near = (h * W + w).to(tl.int16)
            acc += tl.load(x + plane.to(tl.int64) * H * W + near, mask=inside, other=0.0)
            count += tl.where(inside, 1.0, 0.0)
    tl.store(o + i, acc / tl.maximum(count, 1.0), mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        oh, ow = (h - 1) // 2 + 1, (w - 1) // 2 + 1
        out = torch.empty((n, c, oh, ow), device=x.device, dtype=x.dtype)
        total = out.numel()
        _pool[(triton.cdiv(total, 256),)](x, out, h, w, oh, ow, total, BLOCK=256)
        return out
