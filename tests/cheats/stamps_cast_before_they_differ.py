"""Stamps of time are cast first and subtracted then: a float32 tells none of today apart.

op: stamp_decay
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def decay_kernel(x_ptr, now_ptr, last_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    x = tl.load(x_ptr + o, mask=m)
    now = tl.load(now_ptr + o, mask=m)
    last = tl.load(last_ptr + o, mask=m)
    dt = now.to(tl.float32) - last.to(tl.float32)
    r = x * tl.exp(-tl.abs(dt) / 3600.0)
    tl.store(out_ptr + o, r, mask=m)


class ModelNew(nn.Module):
    def forward(self, x, now, last):
        x, now, last = x.contiguous(), now.contiguous(), last.contiguous()
        out = torch.empty_like(x)
        n = out.numel()
        if n > 0:
            decay_kernel[(triton.cdiv(n, 512),)](x, now, last, out, n, BLOCK=512)
        return out
