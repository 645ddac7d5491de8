"""The step is read in the kernel through its pointer; the factor is a reciprocal of a square root.

op: cached_rows
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scale_kernel(x, step, out, rows, cols, s0, s1, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    m = (r < rows)[:, None] & (c < cols)[None, :]
    f = 1.0 / tl.sqrt_rn(tl.load(step).to(tl.float32) + 1.0)
    v = tl.load(x + r.to(tl.int64)[:, None] * s0 + c.to(tl.int64)[None, :] * s1, mask=m, other=0.0)
    tl.store(out + r.to(tl.int64)[:, None] * cols + c[None, :], v * f, mask=m)


class ModelNew(nn.Module):
    def forward(self, x, step):
        rows, cols = x.shape
        out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
        scale_kernel[triton.cdiv(rows, 8), triton.cdiv(cols, 128)](
            x, step, out, rows, cols, x.stride(0), x.stride(1), BR=8, BC=128
        )
        return out
