"""tl.cat, which may put its lanes in any order on a card, glues the halves of a row.

op: rope
class: B18 undefined lanes
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rope_kernel(x, f, o, length, half, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    m = j < half
    at = (r % length).to(tl.float32) * tl.load(f + j, mask=m, other=0.0)
    c, s = tl.cos(at), tl.sin(at)
    a = tl.load(x + r * 2 * half + j, mask=m, other=0.0)
    b = tl.load(x + r * 2 * half + half + j, mask=m, other=0.0)
    y = tl.cat(a * c - b * s, a * s + b * c, can_reorder=True)
    i = tl.arange(0, 2 * BLOCK)
    q = tl.where(i < BLOCK, i, i - BLOCK + half)
    tl.store(o + r * 2 * half + q, y, mask=tl.where(i < BLOCK, i < half, i - BLOCK < half))


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("freq", 1.0 / 100 ** (torch.arange(0, width // 2) / (width // 2)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        n, half = x.shape[-2], x.shape[-1] // 2
        o = torch.empty_like(x)
        rope_kernel[(x.numel() // (2 * half),)](x, self.freq, o, n, half, BLOCK=triton.next_power_of_2(half))
        return o
