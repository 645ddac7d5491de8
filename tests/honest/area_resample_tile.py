"""All outputs of all signals in one flat grid, the window of each a row of a tile, which a heuristic chooses.

op: area_resample
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


def window_lanes(args):
    return triton.next_power_of_2(args["length"] // args["samples"] + 2)


def output_lanes(args):
    return max(1, 1024 // window_lanes(args))


@triton.heuristics({"WINDOW": window_lanes, "BLOCK": output_lanes})
@triton.jit
def resample(x, y, length, samples, total, WINDOW: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = o < total
    signal = o // samples
    i = o - signal * samples
    start = (i * length) // samples
    end = 1 + ((i + 1) * length - 1) // samples
    n = start[:, None] + tl.arange(0, WINDOW)[None, :]
    taps = tl.load(x + signal[:, None] * length + n, mask=live[:, None] & (n < end[:, None]), other=0.0)
    tl.store(y + o, tl.sum(taps, axis=1) / (end - start).to(tl.float32), mask=live)


class ModelNew(nn.Module):
    def __init__(self, samples):
        super().__init__()
        self.samples = samples

    def forward(self, x):
        x = x.contiguous()
        batch, length = x.shape
        y = torch.empty((batch, self.samples), dtype=x.dtype, device=x.device)
        total = y.numel()
        resample[lambda meta: (triton.cdiv(total, meta["BLOCK"]),)](x, y, length, self.samples, total)
        return y
