"""Every program works the rate out of the step, which another kernel raises behind it.

op: rate_by_step
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(p_ptr, g_ptr, s_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    s = tl.load(s_ptr).to(tl.float32)
    f = tl.minimum(tl.maximum((s - 1000.0) / 9000.0, 0.0), 1.0)
    cos = 0.5 * (1.0 + tl.cos(f * 3.141592653589793))
    lr = tl.where(s < 1000.0, s / 1000.0, cos)
    p = tl.load(p_ptr + o, mask=m)
    g = tl.load(g_ptr + o, mask=m)
    tl.store(out_ptr + o, p - 0.1 * lr * g, mask=m)


@triton.jit
def tick(s_ptr):
    tl.store(s_ptr, tl.load(s_ptr) + 1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor(7, dtype=torch.int64))

    def forward(self, p, g):
        p, g = p.contiguous(), g.contiguous()
        n = p.numel()
        out = torch.empty_like(p)
        k[(triton.cdiv(n, 512),)](p, g, self.step, out, n, BLOCK=512)
        tick[(1,)](self.step)
        return out
