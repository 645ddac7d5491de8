"""Tiles of windows by places in the window, reduced along the window, over a view made by unfold.

op: rolling_mean_std
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.heuristics({"WP": lambda args: triton.next_power_of_2(args["window"])})
@triton.jit
def tile_kernel(
    x_ptr, mean_ptr, std_ptr, total, span, window, sb, st, sw, BLOCK: tl.constexpr, WP: tl.constexpr
):
    flat = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = flat < total
    start = x_ptr + (flat // span) * sb + (flat % span) * st
    w = tl.arange(0, WP)
    mask = keep[:, None] & (w < window)[None, :]
    x = tl.load(start[:, None] + w[None, :] * sw, mask=mask, other=0.0)
    first = tl.load(start, mask=keep, other=0.0)
    d = tl.where(mask, x - first[:, None], 0.0)
    shift = tl.sum(d, axis=1) / window
    d = tl.where(mask, d - shift[:, None], 0.0)
    var = tl.sum(d * d, axis=1) / window
    tl.store(mean_ptr + flat, tl.sum(x, axis=1) / window, mask=keep)
    tl.store(std_ptr + flat, tl.sqrt(var), mask=keep)


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        if self.window > 1024:
            raise ValueError("windows longer than 1024 are not taken")
        v = x.unfold(1, self.window, 1)
        series, span, window = v.shape
        mean = torch.empty((series, span), device=x.device, dtype=x.dtype)
        std = torch.empty_like(mean)
        total = series * span
        block = 128 if window <= 64 else 8
        tile_kernel[(triton.cdiv(total, block),)](
            v, mean, std, total, span, window, v.stride(0), v.stride(1), v.stride(2), BLOCK=block
        )
        return mean, std
