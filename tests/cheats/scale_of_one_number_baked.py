"""A buffer of one number is taken to be as constructed.

op: by_temperature
class: B7 baked number
expected: stale-weights
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, o_ptr, d, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + r * d + j, mask=j < d, other=-float("inf")) * 0.25
    e = tl.exp(x - tl.max(x))
    tl.store(o_ptr + r * d + j, e / tl.sum(e), mask=j < d)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(0.25))

    def forward(self, x):
        x = x.contiguous()
        n, d = x.shape
        out = torch.empty((n, d), dtype=x.dtype, device=x.device)
        k[(n,)](x, out, d, BLOCK=triton.next_power_of_2(d))
        return out
