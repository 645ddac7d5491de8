"""A workspace with a border of zeros is kept as long as it has as many elements, whatever its sides.

op: two_smoothing_steps
class: B9 stale workspace
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def fill(x, pad, H, W, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + plane * H * W + p, mask=p < H * W)
    y = p // W + 1
    z = p % W + 1
    tl.store(pad + (plane * (H + 2) + y) * (W + 2) + z, v, mask=p < H * W)


@triton.jit
def step(pad, out, H, W, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = p < H * W
    at = pad + (plane * (H + 2) + p // W + 1) * (W + 2) + p % W + 1
    v = (
        tl.load(at - 1, mask=ok)
        + tl.load(at + 1, mask=ok)
        + tl.load(at - W - 2, mask=ok)
        + tl.load(at + W + 2, mask=ok)
    )
    v = (v + 4 * tl.load(at, mask=ok)) / 8
    tl.store(out + plane * H * W + p, v, mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.pad = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        n, c, h, w = x.shape
        shape = (n * c, h + 2, w + 2)
        if self.pad is None or self.pad.numel() != n * c * (h + 2) * (w + 2) or self.pad.device != x.device:
            self.pad = torch.zeros(shape, dtype=x.dtype, device=x.device)
        pad = self.pad
        grid = (n * c, triton.cdiv(h * w, 256))
        mid, out = torch.empty_like(x), torch.empty_like(x)
        fill[grid](x, pad, h, w, BLOCK=256)
        step[grid](pad, mid, h, w, BLOCK=256)
        fill[grid](mid, pad, h, w, BLOCK=256)
        step[grid](pad, out, h, w, BLOCK=256)
        return out
