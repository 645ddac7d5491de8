"""Deviations from the mean of the group, which a pass of its own takes.

op: group_norm_silu_of_halves
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gn_kernel(x_ptr, w_ptr, b_ptr, o_ptr, P, C, CG, eps, BP: tl.constexpr, BC: tl.constexpr):
    n = tl.program_id(0).to(tl.int64)
    g = tl.program_id(1)
    c = tl.arange(0, BC)
    inc = c < CG
    base = n * P * C + g * CG
    total = tl.zeros((BP, BC), tl.float32)
    for start in range(0, P, BP):
        r = start + tl.arange(0, BP)
        x = tl.load(
            x_ptr + base + r[:, None] * C + c[None, :], mask=(r[:, None] < P) & inc[None, :], other=0.0
        ).to(tl.float32)
        total += x
    count = P * CG
    mean = tl.sum(tl.sum(total, 1), 0) / count
    total = tl.zeros((BP, BC), tl.float32)
    for start in range(0, P, BP):
        r = start + tl.arange(0, BP)
        ok = (r[:, None] < P) & inc[None, :]
        x = tl.load(x_ptr + base + r[:, None] * C + c[None, :], mask=ok, other=0.0).to(tl.float32)
        x = tl.where(ok, x - mean, 0.0)
        total += x * x
    var = tl.sum(tl.sum(total, 1), 0) / count
    rs = 1.0 / tl.sqrt(var + eps)
    w = tl.load(w_ptr + g * CG + c, mask=inc, other=0.0)
    b = tl.load(b_ptr + g * CG + c, mask=inc, other=0.0)
    for start in range(0, P, BP):
        r = start + tl.arange(0, BP)
        ok = (r[:, None] < P) & inc[None, :]
        x = tl.load(x_ptr + base + r[:, None] * C + c[None, :], mask=ok, other=0.0).to(tl.float32)
        y = (x - mean) * rs * w[None, :] + b[None, :]
        y = y / (1.0 + tl.exp(-y))
        tl.store(o_ptr + base + r[:, None] * C + c[None, :], y.to(tl.float16), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, groups, channels, eps):
        super().__init__()
        self.groups, self.eps = groups, eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        x = x.contiguous()
        N, H, W, C = x.shape
        out = torch.empty_like(x)
        CG = C // self.groups
        if x.numel() > 0:
            gn_kernel[(N, self.groups)](
                x, self.weight, self.bias, out, H * W, C, CG, self.eps, BP=32, BC=triton.next_power_of_2(CG)
            )
        return out
