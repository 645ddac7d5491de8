"""Turns the 64-bit integers into doubles, sums those, and turns the sum back.

op: int_laplacian
class: B23 integers reckoned in floating point
expected: wrong-values
"""

import torch
import triton
import triton.language as tl

# Wrong for numbers beyond 2^53, whose last digits a double does not hold, and for sums that wrap.


@triton.jit
def lap_kernel(x_ptr, o_ptr, total, h, w, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = e < total
    c = e % w
    r = (e // w) % h
    plane = e - r * w - c
    up = tl.load(x_ptr + plane + ((r + h - 1) % h) * w + c, mask=live, other=0).to(tl.float64)
    down = tl.load(x_ptr + plane + ((r + 1) % h) * w + c, mask=live, other=0).to(tl.float64)
    left = tl.load(x_ptr + plane + r * w + (c + w - 1) % w, mask=live, other=0).to(tl.float64)
    right = tl.load(x_ptr + plane + r * w + (c + 1) % w, mask=live, other=0).to(tl.float64)
    mid = tl.load(x_ptr + e, mask=live, other=0).to(tl.float64)
    tl.store(o_ptr + e, (up + down + left + right - 4.0 * mid).to(tl.int64), mask=live)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        lap_kernel[(triton.cdiv(n, 256),)](x, out, n, x.shape[1], x.shape[2], BLOCK=256)
        return out
