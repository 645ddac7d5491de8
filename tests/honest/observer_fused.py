"""One launch: each block of channels reduces the batch, then folds into the buffers in place.

op: range_observer
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def nan_min(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def nan_max(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def observe_kernel(
    x, low, high, seen, out, batch, channels, s0, s1, TRAIN: tl.constexpr, R: tl.constexpr, C: tl.constexpr
):
    c = tl.program_id(0) * C + tl.arange(0, C)
    keep = c < channels
    lo = tl.load(low + c, mask=keep, other=0.0)
    hi = tl.load(high + c, mask=keep, other=0.0)
    if TRAIN:
        small = tl.full((R, C), float("inf"), tl.float32)
        large = tl.full((R, C), float("-inf"), tl.float32)
        for start in range(0, batch, R):
            r = start + tl.arange(0, R)
            m = (r < batch)[:, None] & keep[None, :]
            at = x + r.to(tl.int64)[:, None] * s0 + c[None, :] * s1
            small = nan_min(small, tl.load(at, mask=m, other=float("inf")))
            large = nan_max(large, tl.load(at, mask=m, other=float("-inf")))
        lo = nan_min(lo, tl.reduce(small, 0, nan_min))
        hi = nan_max(hi, tl.reduce(large, 0, nan_max))
        tl.store(low + c, lo, mask=keep)
        tl.store(high + c, hi, mask=keep)
        if tl.program_id(0) == 0:
            tl.store(seen, tl.load(seen) + 1)
    tl.store(out + c, hi - lo, mask=keep)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("low", torch.full((channels,), float("inf")))
        self.register_buffer("high", torch.full((channels,), float("-inf")))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        batch, channels = x.shape
        out = torch.empty(channels, device=x.device, dtype=x.dtype)
        observe_kernel[(triton.cdiv(channels, 32),)](
            x,
            self.low,
            self.high,
            self.seen,
            out,
            batch,
            channels,
            x.stride(0),
            x.stride(1),
            TRAIN=self.training,
            R=16,
            C=32,
        )
        return out
