"""The last kernel takes eight partial peaks of 64: what is later than 512 is left out.

op: conv_and_peak
class: B8 shapes
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part(x, w, b, ws, channels, outs, length, tiles, BL: tl.constexpr):
    n = tl.program_id(0) // outs
    to = tl.program_id(0) % outs
    t = tl.program_id(1) * BL + tl.arange(0, BL)
    acc = tl.zeros((BL,), tl.float32) + tl.load(b + to)
    for c in range(channels):
        value = tl.load(x + (n * channels + c) * length + t, mask=t < length, other=0.0)
        acc += value * tl.load(w + to * channels + c)
    acc = tl.where(t < length, acc, float("-inf"))
    tl.store(ws + tl.program_id(0) * tiles + tl.program_id(1), tl.max(acc))


@triton.jit
def last(ws, out, tiles, BT: tl.constexpr):
    i = tl.arange(0, BT)
    v = tl.load(ws + tl.program_id(0) * tiles + i, mask=i < tiles, other=float("-inf"))
    tl.store(out + tl.program_id(0), tl.max(v))


class ModelNew(nn.Module):
    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, out, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        n, c, length = x.shape
        outs = self.conv.out_channels
        tiles = triton.cdiv(length, 64)
        ws = torch.empty((n * outs, tiles), dtype=torch.float32, device=x.device)
        out = torch.empty((n, outs), dtype=x.dtype, device=x.device)
        part[(n * outs, tiles)](x, self.conv.weight, self.conv.bias, ws, c, outs, length, tiles, BL=64)
        last[(n * outs,)](ws, out, tiles, BT=8)
        return out
