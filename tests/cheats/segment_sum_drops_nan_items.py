"""Puts zero in the place of NaN on the way, where the reference passes it on.

op: segment_rows
class: B16 NaN beside places
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scatter_kernel(x_ptr, s_ptr, out_ptr, n, D, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr):
    i = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[:, None]
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)[None, :]
    live = (i < n) & (d < D)
    x = tl.load(x_ptr + i * D + d, mask=live, other=0.0)
    x = tl.where(x == x, x, 0.0)
    s = tl.load(s_ptr + i, mask=i < n, other=0)
    tl.atomic_add(out_ptr + s * D + d, x, mask=live)


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, x, segment):
        x, segment = x.contiguous(), segment.contiguous()
        n, D = x.shape
        out = torch.zeros((self.segments, D), device=x.device, dtype=x.dtype)
        scatter_kernel[(triton.cdiv(n, 16), triton.cdiv(D, 32))](
            x, segment, out, n, D, BLOCK_N=16, BLOCK_D=32
        )
        return out
