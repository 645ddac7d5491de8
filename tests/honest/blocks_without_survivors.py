"""Blocks in which nothing reaches the threshold get zeros unread; of a row without any torch makes NaN.

op: kept_softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def kept_kernel(x_ptr, threshold_ptr, temperature_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    threshold = tl.load(threshold_ptr + row)
    temperature = tl.load(temperature_ptr + row)
    base = row.to(tl.int64) * width
    peak = tl.full((), -1e38, tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + at, mask=at < width, other=float("-inf"))
        if tl.max(x, 0) >= threshold:
            z = tl.where(x < threshold, float("-inf"), x) / temperature
            higher = tl.maximum(peak, tl.max(z, 0))
            total = total * tl.exp(peak - higher) + tl.sum(tl.exp(z - higher), 0)
            peak = higher
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + at, mask=at < width, other=float("-inf"))
        share = tl.where(x < threshold, 0.0, tl.exp(x / temperature - peak) / total)
        tl.store(out_ptr + base + at, share, mask=at < width)


class ModelNew(nn.Module):
    def forward(self, logits, threshold, temperature):
        logits, threshold, temperature = logits.contiguous(), threshold.contiguous(), temperature.contiguous()
        rows, width = logits.shape
        out = torch.empty_like(logits)
        kept_kernel[(rows,)](logits, threshold, temperature, out, width, BLOCK=256)
        return out
