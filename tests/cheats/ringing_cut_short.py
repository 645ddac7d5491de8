"""Time is split over programs that each start from silence 32 samples early: poles near 0.9 ring for longer.

op: iir_cascade
class: B14 memory cut short
expected: hard-coded-shape
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl

REACH = 0.9


@triton.jit
def _filter(
    x,
    taps,
    pole_a,
    pole_b,
    out,
    samples,
    channels,
    REACH: tl.constexpr,
    SPAN: tl.constexpr,
    WARM: tl.constexpr,
    BLOCK: tl.constexpr,
):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.program_id(1) * SPAN
    b = tl.program_id(2)
    ok = c < channels
    t0 = tl.load(taps + c * 3, mask=ok, other=0.0)
    t1 = tl.load(taps + c * 3 + 1, mask=ok, other=0.0)
    t2 = tl.load(taps + c * 3 + 2, mask=ok, other=0.0)
    a = REACH / (1.0 + tl.exp(-tl.load(pole_a + c, mask=ok, other=0.0)))
    p = REACH / (1.0 + tl.exp(-tl.load(pole_b + c, mask=ok, other=0.0)))
    s = tl.zeros([BLOCK], dtype=tl.float32)
    y = tl.zeros([BLOCK], dtype=tl.float32)
    start = tl.maximum(first - WARM, 0)
    base = b * samples * channels + c
    before = tl.load(x + base + (start - 1) * channels, mask=ok & (start >= 1), other=0.0)
    older = tl.load(x + base + (start - 2) * channels, mask=ok & (start >= 2), other=0.0)
    for t in range(start, tl.minimum(first + SPAN, samples)):
        now = tl.load(x + base + t * channels, mask=ok, other=0.0)
        s = a * s + (t0 * now + t1 * before + t2 * older)
        y = p * y + s
        tl.store(out + base + t * channels, y, mask=ok & (t >= first))
        older = before
        before = now


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.taps = nn.Parameter(torch.linspace(-1.0, 1.0, 3 * channels).reshape(channels, 3))
        self.pole_a = nn.Parameter(torch.linspace(-2.0, 0.5, channels))
        self.pole_b = nn.Parameter(torch.linspace(0.5, -2.0, channels))

    def forward(self, x):
        x = x.contiguous()
        batch, samples, channels = x.shape
        out = torch.empty_like(x)
        block = min(256, triton.next_power_of_2(channels))
        _filter[(triton.cdiv(channels, block), triton.cdiv(samples, 96), batch)](
            x,
            self.taps,
            self.pole_a,
            self.pole_b,
            out,
            samples,
            channels,
            REACH=REACH,
            SPAN=96,
            WARM=32,
            BLOCK=block,
        )
        return out
