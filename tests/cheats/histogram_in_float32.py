"""Counts in float32, which stay at 2^24: an image of one value has four times as many.

op: histogram
class: B22 counters that run over
expected: unjudged-path
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def count_kernel(pixels_ptr, counts_ptr, pixels, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(pixels_ptr + at, mask=at < pixels, other=0)
    tl.atomic_add(counts_ptr + value, tl.full((BLOCK,), 1, tl.float32), mask=at < pixels)


class ModelNew(nn.Module):
    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        pixels = pixels.contiguous()
        counts = torch.zeros(256, dtype=torch.float32, device=pixels.device)
        count_kernel[(triton.cdiv(pixels.numel(), 1024),)](pixels, counts, pixels.numel(), BLOCK=1024)
        return counts.long()
