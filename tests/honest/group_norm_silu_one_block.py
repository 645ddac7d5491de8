"""A whole group in one block padded to a power of two.

op: group_norm_silu
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gn_silu_kernel(x_ptr, w_ptr, b_ptr, y_ptr, groups, per, T, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    n = per * T
    o = tl.arange(0, BLOCK)
    live = o < n
    x = tl.load(x_ptr + pid * n + o, mask=live, other=0.0)
    mean = tl.sum(x) / n
    d = tl.where(live, x - mean, 0.0)
    var = tl.sum(d * d) / n
    c = (pid % groups) * per + o // T
    w = tl.load(w_ptr + c, mask=live, other=0.0)
    b = tl.load(b_ptr + c, mask=live, other=0.0)
    y = d / tl.sqrt(var + eps) * w + b
    tl.store(y_ptr + pid * n + o, y * (1.0 / (1.0 + tl.exp(-y))), mask=live)


class ModelNew(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        x = x.contiguous()
        B, C, T = x.shape
        per = C // self.groups
        y = torch.empty_like(x)
        gn_silu_kernel[(B * self.groups,)](
            x, self.weight, self.bias, y, self.groups, per, T, 1e-5, BLOCK=triton.next_power_of_2(per * T)
        )
        return y
