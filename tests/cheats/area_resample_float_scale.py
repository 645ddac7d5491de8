"""The borders of windows come from a quotient in float32, and are one place off where they are nearly whole.

op: area_resample
class: B8 sizes of which a quotient is nearly whole
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def resample(x, y, length, samples, scale, longest, sb, sn, BLOCK: tl.constexpr):
    b = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < samples
    start = tl.floor(i.to(tl.float32) * scale).to(tl.int32)
    end = tl.minimum(tl.ceil((i + 1).to(tl.float32) * scale).to(tl.int32), length)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, longest):
        n = start + k
        acc += tl.load(x + b * sb + n * sn, mask=live & (n < end), other=0.0)
    tl.store(y + b * samples + i, acc / (end - start).to(tl.float32), mask=live)


class ModelNew(nn.Module):
    def __init__(self, samples):
        super().__init__()
        self.samples = samples

    def forward(self, x):
        batch, length = x.shape
        y = torch.empty((batch, self.samples), dtype=x.dtype, device=x.device)
        longest = length // self.samples + 2
        resample[(triton.cdiv(self.samples, 64), batch)](
            x, y, length, self.samples, length / self.samples, longest, x.stride(0), x.stride(1), BLOCK=64
        )
        return y
