"""An expert takes three times its share of tokens, and those beyond are dropped.

op: expert_sums
class: B6 places
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, i_ptr, o_ptr, n, d, cap, BLOCK: tl.constexpr, MANY: tl.constexpr):
    s = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    seen = 0
    for b in range(0, n, MANY):
        i = b + tl.arange(0, MANY)
        own = tl.load(i_ptr + i, mask=i < n, other=-1) == s
        rank = seen + tl.cumsum(own.to(tl.int32), 0)
        own = own & (rank <= cap)
        x = tl.load(x_ptr + i[:, None] * d + j[None, :], mask=own[:, None] & (j[None, :] < d), other=0.0)
        acc += tl.sum(x, 0)
        seen = tl.max(rank)
    tl.store(o_ptr + s * d + j, acc, mask=j < d)


class ModelNew(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.experts = experts

    def forward(self, x, expert):
        x, expert = x.contiguous(), expert.contiguous()
        n, d = x.shape
        out = torch.empty((self.experts, d), dtype=x.dtype, device=x.device)
        cap = 3 * triton.cdiv(n, self.experts) + 32
        k[(self.experts,)](x, expert, out, n, d, cap, BLOCK=triton.next_power_of_2(d), MANY=64)
        return out
