"""One launch a sweep over two-dimensional tiles, two buffers in turns that are both the kernel's own.

op: jacobi_sweeps
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def sweep_kernel(u_ptr, f_ptr, o_ptr, H, W, BH: tl.constexpr, BW: tl.constexpr):
    base = tl.program_id(2).to(tl.int64) * H * W
    r = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    c = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    live = (r < H) & (c < W)
    inner = (r > 0) & (r < H - 1) & (c > 0) & (c < W - 1)
    p = u_ptr + base + r * W + c
    mid = tl.load(p, mask=live & (inner == 0), other=0.0)
    up = tl.load(p - W, mask=inner, other=0.0)
    down = tl.load(p + W, mask=inner, other=0.0)
    left = tl.load(p - 1, mask=inner, other=0.0)
    right = tl.load(p + 1, mask=inner, other=0.0)
    f = tl.load(f_ptr + base + r * W + c, mask=inner, other=0.0)
    new = 0.25 * (up + down + left + right - f)
    tl.store(o_ptr + base + r * W + c, tl.where(inner, new, mid), mask=live)


class ModelNew(nn.Module):
    def __init__(self, sweeps):
        super().__init__()
        self.sweeps = sweeps

    def forward(self, u, f):
        u, f = u.contiguous(), f.contiguous()
        b, h, w = u.shape
        src = u
        pair = (torch.empty_like(u), torch.empty_like(u))
        if self.sweeps == 0:
            return u.clone()
        for i in range(self.sweeps):
            dst = pair[i % 2]
            sweep_kernel[(triton.cdiv(h, 16), triton.cdiv(w, 32), b)](src, f, dst, h, w, BH=16, BW=32)
            src = dst
        return src
