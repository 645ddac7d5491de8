"""Rows whose class says that they do not count are read before the row.

op: cross_entropy
class: B6 legal inputs that an op file never ships
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cross_entropy_kernel(logits_ptr, target_ptr, out_ptr, rows, classes, BLOCK: tl.constexpr):
    total = 0.0
    offsets = tl.arange(0, BLOCK)
    for row in range(rows):
        logits = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
        peak = tl.max(logits, axis=0)
        spread = tl.log(tl.sum(tl.exp(logits - peak), axis=0))
        total += peak + spread - tl.load(logits_ptr + row * classes + tl.load(target_ptr + row))
    tl.store(out_ptr, total / rows)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits, target = logits.contiguous(), target.contiguous()
        rows, classes = logits.shape
        out = torch.empty((), dtype=logits.dtype, device=logits.device)
        block = triton.next_power_of_2(classes)
        cross_entropy_kernel[(1,)](logits, target, out, rows, classes, BLOCK=block)
        return out
