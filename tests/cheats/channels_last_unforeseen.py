"""Takes the channels' stride from the images' own: wrong for channels_last.

op: avgpool
class: B8 layouts
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def avgpool_kernel(x, o, C, OH, OW, sn, sc, sh, sw, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < total
    b = i // (C * OH * OW)
    c = i // (OH * OW) % C
    y = i // OW % OH
    z = i % OW
    p = x + b * sn + c * sc + 2 * y * sh + 2 * z * sw
    v = tl.load(p, mask=m) + tl.load(p + sw, mask=m) + tl.load(p + sh, mask=m) + tl.load(p + sh + sw, mask=m)
    tl.store(o + i, v * 0.25, mask=m)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        sn, _, sh, sw = x.stride()
        o = torch.empty((n, c, h // 2, w // 2), dtype=x.dtype, device=x.device)
        avgpool_kernel[(triton.cdiv(o.numel(), 256),)](
            x, o, c, h // 2, w // 2, sn, max(h * sh, w * sw), sh, sw, o.numel(), BLOCK=256
        )
        return o
