"""Flat places, taken apart by whole quotients.

op: shuffled_and_flipped
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kernel(x, out, H, W, total, BLOCK: tl.constexpr):
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = p < total
    ow = 2 * W
    row = p // ow
    z = ow - 1 - (p - row * ow)
    oy = row % (2 * H)
    plane = row // (2 * H)
    src = ((plane * 4 + oy % 2 * 2 + z % 2) * H + oy // 2) * W + z // 2
    v = tl.load(x + src, mask=ok)
    tl.store(out + p, v, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        batch, channels, height, width = x.shape
        out = torch.empty((batch, channels // 4, 2 * height, 2 * width), dtype=x.dtype, device=x.device)
        total = x.numel()
        kernel[(triton.cdiv(total, 512),)](x, out, height, width, total, BLOCK=512)
        return out
