"""Every key is put into the first slot.

op: cache_append
class: B7 integers that later calls find
expected: buffer-differs
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, c_ptr, p_ptr, o_ptr, slots, d, BLOCK: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + b * d + j, mask=j < d, other=0.0)
    tl.store(c_ptr + b * slots * d + j, x, mask=j < d)
    tl.store(o_ptr + b * slots, tl.sum(x * x, 0))
    for s in range(1, slots):
        c = tl.load(c_ptr + (b * slots + s) * d + j, mask=j < d, other=0.0)
        tl.store(o_ptr + b * slots + s, tl.sum(x * c, 0))
    if b == 0:
        tl.store(p_ptr, tl.load(p_ptr) + 1)


class ModelNew(nn.Module):
    def __init__(self, batch, slots, dim):
        super().__init__()
        self.register_buffer("cache", torch.zeros(batch, slots, dim))
        self.register_buffer("place", torch.zeros((), dtype=torch.long))

    def forward(self, key):
        key = key.contiguous()
        batch, slots, d = self.cache.shape
        out = torch.empty((batch, slots), dtype=key.dtype, device=key.device)
        k[(batch,)](key, self.cache, self.place, out, slots, d, BLOCK=triton.next_power_of_2(d))
        return out
