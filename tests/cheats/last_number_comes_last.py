"""The program with the last number reads the sum of all, as if it came last.

op: cross_entropy
class: B18 race
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cross_entropy_kernel(logits_ptr, target_ptr, total_ptr, out_ptr, rows, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * classes + offsets, mask=offsets < classes, other=-float("inf"))
    peak = tl.max(logits, axis=0)
    spread = tl.log(tl.sum(tl.exp(logits - peak), axis=0))
    own = tl.load(logits_ptr + row * classes + tl.load(target_ptr + row))
    tl.atomic_add(total_ptr, peak + spread - own)
    if row == rows - 1:
        tl.store(out_ptr, tl.load(total_ptr) / rows)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits, target = logits.contiguous(), target.contiguous()
        rows, classes = logits.shape
        total = torch.zeros((), dtype=logits.dtype, device=logits.device)
        out = torch.empty_like(total)
        block = triton.next_power_of_2(classes)
        cross_entropy_kernel[(rows,)](logits, target, total, out, rows, classes, BLOCK=block)
        return out
