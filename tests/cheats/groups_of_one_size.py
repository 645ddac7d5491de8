"""All experts are taken to have as many tokens.

op: grouped_linear
class: B8 uneven parts
expected: stale-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, s_ptr, w_ptr, o_ptr, d, size, E, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    e = tl.minimum(t // size, E - 1)
    j = tl.arange(0, BLOCK)
    m = j < d
    x = tl.load(x_ptr + t * d + j, mask=m, other=0.0)
    w = tl.load(w_ptr + e * d * d + j[:, None] * d + j[None, :], mask=m[:, None] & m[None, :], other=0.0)
    tl.store(o_ptr + t * d + j, tl.sum(x[:, None] * w, 0), mask=m)


class ModelNew(nn.Module):
    def __init__(self, experts, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(experts, dim, dim) / dim**0.5)

    def forward(self, x, sizes):
        x = x.contiguous()
        n, d = x.shape
        out = torch.empty_like(x)
        k[(n,)](
            x,
            sizes,
            self.weight,
            out,
            d,
            max(1, n // len(sizes)),
            len(sizes),
            BLOCK=triton.next_power_of_2(d),
        )
        return out
