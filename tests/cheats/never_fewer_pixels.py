"""The scale is capped at one: a resize to fewer pixels crops.

op: resize
class: B8 sizes of results
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def resize_kernel(x_ptr, out_ptr, H, W, OH, OW, scale_h, scale_w, BLOCK: tl.constexpr):
    plane = tl.program_id(2).to(tl.int64)
    r = tl.program_id(1)
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = c < OW
    y = tl.maximum((r + 0.5) * scale_h - 0.5, 0.0)
    y0 = tl.minimum(y.to(tl.int32), H - 1)
    y1 = tl.minimum(y0 + 1, H - 1)
    wy = y - y0
    x = tl.maximum((c + 0.5) * scale_w - 0.5, 0.0)
    x0 = tl.minimum(x.to(tl.int32), W - 1)
    x1 = tl.minimum(x0 + 1, W - 1)
    wx = x - x0
    base = x_ptr + plane * H * W
    p00 = tl.load(base + y0 * W + x0, mask=mask, other=0.0)
    p01 = tl.load(base + y0 * W + x1, mask=mask, other=0.0)
    p10 = tl.load(base + y1 * W + x0, mask=mask, other=0.0)
    p11 = tl.load(base + y1 * W + x1, mask=mask, other=0.0)
    top = p00 * (1.0 - wx) + p01 * wx
    low = p10 * (1.0 - wx) + p11 * wx
    tl.store(out_ptr + plane * OH * OW + r * OW + c, top * (1.0 - wy) + low * wy, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, out_height: int, out_width: int) -> None:
        super().__init__()
        self.size = (out_height, out_width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        n, c, h, w = x.shape
        oh, ow = self.size
        out = torch.empty(n, c, oh, ow, dtype=x.dtype, device=x.device)
        resize_kernel[(triton.cdiv(ow, 128), oh, n * c)](
            x, out, h, w, oh, ow, min(h / oh, 1.0), min(w / ow, 1.0), BLOCK=128
        )
        return out
